// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Colocation decides which nodes of a graph must be on one device
// (ColocationGroups), and which nodes are better placed beside another node
// (ColocateControlFlow).
#ifndef LEAT_PARTITIONER_COLOCATION_H_
#define LEAT_PARTITIONER_COLOCATION_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns the group of each node, by NodeId: the smallest id in the group, or
// -1 where there is no node. The nodes of a group must share a device:
// producers and consumers of references and resources, and nodes whose attr
// `_class` names another node ("loc:@x"). If the graph has no node x, the nodes
// that name x form a group. Returns INVALID_ARGUMENT naming node and value for
// a `_class` that is not a list of strings.
absl::StatusOr<std::vector<NodeId>> ColocationGroups(const Graph& graph);

// Returns true if the node takes a reference or a resource, which ties it to
// the device of that input's producer.
bool IsTiedToInput(const Graph& graph, NodeId id);

// Moves nodes that only route values to the device where the values are, as
// TensorFlow does before it cuts a graph: Switch to its data input, Exit to its
// source, Enter and NextIteration to their first consumer. A node moves only if
// `may_be_on(id, device)`, which knows the constraints, returns true. `device`
// is an index into the graph's devices. Fails as TopologicalOrder does.
// REQUIRES: every node has a device.
absl::Status ColocateControlFlow(
    Graph& graph, absl::FunctionRef<bool(NodeId, int device)> may_be_on);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COLOCATION_H_
