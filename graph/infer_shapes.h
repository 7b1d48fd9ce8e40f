// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Shape inference over a whole graph.
#ifndef LEAT_GRAPH_INFER_SHAPES_H_
#define LEAT_GRAPH_INFER_SHAPES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// What is known of every output before the graph runs: result[node][output],
// empty where there is no node. A loop's Merge has the shapes that all of its
// iterations share; calls of functions have unknown ones. INVALID_ARGUMENT
// naming the node that can never run. O(nodes + edges), a few passes for loops.
absl::StatusOr<std::vector<std::vector<InferredOutput>>> InferShapes(
    const Graph& graph);

}  // namespace leat

#endif  // LEAT_GRAPH_INFER_SHAPES_H_
