// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PartShapes says what is known of the tensors in the parts of a graph that was
// cut. The shape function of a _Recv cannot know what its _Send sends.
#ifndef LEAT_PARTITIONER_COSTS_PART_SHAPES_H_
#define LEAT_PARTITIONER_COSTS_PART_SHAPES_H_

#include <vector>

#include "absl/types/span.h"
#include "leat/graph/graph.h"
#include "leat/graph/shape_inference.h"
#include "leat/partitioner/partition.h"

namespace leat {

// Is what is known of all outputs of a graph, as InferShapes returns it.
using GraphShapes = std::vector<std::vector<InferredOutput>>;

// Returns what is known of the outputs in each part. `whole` is the graph
// before it was cut, and `shapes` is what is known of its outputs. Nodes of
// `whole` are found by their names, which cutting does not change. Takes time
// that is linear in the size of the graph, and never fails.
std::vector<GraphShapes> PartShapes(const Graph& whole,
                                    const GraphShapes& shapes,
                                    absl::Span<const Partition> parts);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_PART_SHAPES_H_
