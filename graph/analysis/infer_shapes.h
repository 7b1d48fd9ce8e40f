// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Infers the shapes in a whole graph. shape_inference.h has shape inference for
// one node.
#ifndef LEAT_GRAPH_ANALYSIS_INFER_SHAPES_H_
#define LEAT_GRAPH_ANALYSIS_INFER_SHAPES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// Returns what is known of every output before the graph runs. result[id][i]
// describes output i of node `id`; result[id] is empty if there is no such
// node. The result for the Merge of a loop holds in all iterations. The shapes
// of the outputs of function calls are unknown. Fails with INVALID_ARGUMENT,
// naming the node, for a node that can never run, and for a cycle that is not a
// loop. Takes O(nodes + edges) time, and makes a few passes if the graph has
// loops. Is thread-safe.
absl::StatusOr<std::vector<std::vector<InferredOutput>>> InferShapes(
    const Graph& graph);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_INFER_SHAPES_H_
