// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PruneToStep extracts the part of a graph that one step needs. This part
// consists of the nodes from which the fetches and targets of the step are
// computed. An _Arg node takes the place of each tensor that is fed, and a
// _Retval node takes each tensor that is fetched as its input.
#ifndef LEAT_PARTITIONER_PRUNE_H_
#define LEAT_PARTITIONER_PRUNE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/graph/graph.h"

namespace leat {

// Says that a step takes the tensor `from` wherever the graph takes the tensor
// `to`.
struct TensorConnection {
  std::string from = {};
  std::string to = {};
};

// Names the tensors that a step feeds and fetches ("x:0", or "x" for output 0).
// Also names the targets, the nodes that the step runs for their effects. Other
// code often identifies a feed or fetch by its position in these lists.
struct StepSignature {
  std::vector<std::string> feeds = {};
  std::vector<std::string> fetches = {};
  std::vector<std::string> targets = {};
  std::vector<TensorConnection> connections = {};
  // Is true for a partial run, which takes its feeds and returns its fetches
  // one after another while it runs. PruneToStep ignores this flag.
  bool is_partial = false;
};

// Describes the part of a graph that a step needs.
struct PrunedStep {
  Graph graph;
  // Holds the dtypes of the feeds, by position.
  std::vector<DType> feed_types = {};
  // Holds the static shapes of the feeds, by position, as they are declared or
  // inferred in the whole graph. A feed must fit its static shape, because
  // parts of the graph that were built from the fed tensor, such as gradients,
  // may rely on it.
  std::vector<PartialShape> feed_shapes = {};
  // Holds the targets, as ids in `graph`. A placeholder that is fed is left
  // out.
  std::vector<NodeId> targets = {};
};

// Returns the part of `graph` that steps with `signature` need. `graph` must be
// lowered and placed. These errors have the codes and messages of TensorFlow:
//  - NOT_FOUND for a node that is not in the graph,
//  - INVALID_ARGUMENT for an output that its node does not have,
//  - INVALID_ARGUMENT for a tensor that is fed twice, or both fed and fetched,
//  - INVALID_ARGUMENT for a fed tensor that a node takes as a reference,
//  - INVALID_ARGUMENT for a connection from a tensor that is not in the graph,
//  and
//  - INVALID_ARGUMENT if there are neither fetches nor targets.
// Unlike TensorFlow, also returns INVALID_ARGUMENT for a feed or fetch inside
// of a loop, and for connections that make a cycle or join different types. A
// connection counts as a feed of `to`.
absl::StatusOr<PrunedStep> PruneToStep(const Graph& graph,
                                       const StepSignature& signature);

}  // namespace leat

#endif  // LEAT_PARTITIONER_PRUNE_H_
