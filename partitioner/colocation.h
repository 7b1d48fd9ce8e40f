// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Which nodes of a graph must share a device, and which had better.
#ifndef LEAT_PARTITIONER_COLOCATION_H_
#define LEAT_PARTITIONER_COLOCATION_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat {

// By NodeId, the smallest id of the node's group; -1 where there is no node.
// INVALID_ARGUMENT naming node and value for a `_class` that is no list of
// strings; a "loc:@x" of an x that is not in the graph groups its namesakes.
absl::StatusOr<std::vector<NodeId>> ColocationGroups(const Graph& graph);

// A reference or a resource ties the node to the producer of an input.
bool IsTiedToInput(const Graph& graph, NodeId id);

// Moves what only routes values to where they are, as TensorFlow does before it
// cuts a graph: Switch to its data input, Exit to its source, Enter and
// NextIteration to their first consumer. `may_be_on(id, device)` says whether
// constraints allow it; the node stays where they do not.
// REQUIRES: every node has a device. Fails as TopologicalOrder does.
absl::Status ColocateControlFlow(
    Graph& graph, absl::FunctionRef<bool(NodeId, int device)> may_be_on);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COLOCATION_H_
