// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Colocation decides which nodes of a graph must be on one device
// (ColocationGroups), and which nodes are better placed on the device of a
// neighbour (ColocateControlFlow).
#ifndef LEAT_PARTITIONER_COLOCATION_H_
#define LEAT_PARTITIONER_COLOCATION_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns the group of each node, by NodeId. The nodes of a group must share a
// device. A group is identified by the smallest id of its nodes. The entry of
// an id without a node is -1. These nodes are in one group:
//  - the producer and the consumers of a reference or a resource;
//  - all nodes whose attr `_class` names the same node x ("loc:@x"), and x
//    itself if the graph has a node of that name.
// Returns INVALID_ARGUMENT naming the node and the value if a `_class` is not a
// list of strings.
absl::StatusOr<std::vector<NodeId>> ColocationGroups(const Graph& graph);

// Returns each x of the "loc:@x" in the attr `_class` of the node. Returns
// nothing if the attr is not a list of strings.
std::vector<std::string> ColocationClasses(const Node& node);

// Returns true if the node takes a reference or a resource, which ties it to
// the device of that input's producer.
bool IsTiedToInput(const Graph& graph, NodeId id);

// Some nodes only route values. Moves each of them to the device of a
// neighbour, as TensorFlow does before it cuts a graph: a Switch to the device
// of its data input, an Exit to the device of its source, and an Enter or
// NextIteration to the device of its first consumer. A node moves only if
// `may_be_on(id, device)`, which knows the constraints, returns true. `device`
// is an index into the graph's devices. Fails as TopologicalOrder does.
// REQUIRES: every node has a device.
absl::Status ColocateControlFlow(
    Graph& graph, absl::FunctionRef<bool(NodeId, int device)> may_be_on);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COLOCATION_H_
