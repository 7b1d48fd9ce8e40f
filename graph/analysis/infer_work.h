// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Infers how much the nodes of a graph have to do, from the shapes that are
// known before the graph runs. work.h has the work of one node.
#ifndef LEAT_GRAPH_ANALYSIS_INFER_WORK_H_
#define LEAT_GRAPH_ANALYSIS_INFER_WORK_H_

#include <cstdint>
#include <vector>

#include "leat/graph/graph.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work.h"

namespace leat {

// NodeWork holds what planning knows of one node before the node runs.
struct NodeWork {
  // Unknown extents are replaced by the assumed one, and a tensor of unknown
  // rank by a scalar. No dtype is a reference.
  std::vector<TensorSpec> inputs = {};
  std::vector<TensorSpec> outputs = {};
  // Describes, by input, the variable that a resource handle names. Other
  // inputs, and handles of which nothing is known, have no type.
  std::vector<TensorSpec> handles = {};
  Work work = {};
  // Is true if the shapes of all inputs are known, so none was assumed.
  bool has_known_inputs = true;
  // Is true if the work depends on an extent that was assumed, or on what
  // nobody knows before the step: the contents of strings and variants, or the
  // body of a function.
  bool is_guessed = false;
};

// Returns the work of all nodes, by id. The result for an id without a node has
// no tensors. `shapes` is what InferShapes says of the graph; what is missing
// in it is unknown. Takes O(nodes + edges) time and never fails, whatever the
// extents are. Is thread-safe. REQUIRES: `assumed_extent` is not negative.
std::vector<NodeWork> InferWork(
    const Graph& graph, const std::vector<std::vector<InferredOutput>>& shapes,
    int64_t assumed_extent = 1);

}  // namespace leat

#endif  // LEAT_GRAPH_ANALYSIS_INFER_WORK_H_
