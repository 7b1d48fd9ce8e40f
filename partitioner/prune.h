// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The part of a graph that one step needs: what its fetches and targets are
// computed from, with _Arg nodes in the place of what is fed and _Retval nodes
// behind what is fetched.
#ifndef LEAT_PARTITIONER_PRUNE_H_
#define LEAT_PARTITIONER_PRUNE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/graph/graph.h"

namespace leat {

// What a step is given and asked for: tensors by name ("x:0", "x"), and nodes.
struct StepSignature {
  std::vector<std::string> feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<std::string> targets = {};
};

// The graph to run, types and shapes of fed tensors by position, and the target
// nodes in that graph. The shapes are those that the graph as a whole was made
// for: what was inferred of a fed tensor when it was built, gradients for one,
// holds of the feed only if it has such a shape. Errors are TensorFlow's:
// NOT_FOUND for names, INVALID_ARGUMENT for a tensor fed twice, fed and
// fetched, of a reference, or when nothing is asked for. Ours is
// INVALID_ARGUMENT for a tensor inside of a loop.
struct PrunedStep {
  Graph graph;
  std::vector<DType> feed_types = {};
  std::vector<PartialShape> feed_shapes = {};
  std::vector<NodeId> targets = {};
};
absl::StatusOr<PrunedStep> PruneToStep(const Graph& graph,
                                       const StepSignature& signature);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PRUNE_H_
