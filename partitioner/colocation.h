// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Which nodes of a graph must share a device.
#ifndef LEAT_PARTITIONER_COLOCATION_H_
#define LEAT_PARTITIONER_COLOCATION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat {

// By NodeId, the smallest id of the node's group; -1 where there is no node.
// INVALID_ARGUMENT naming node and value for a `_class` that is no list of
// strings; a "loc:@x" of an x that is not in the graph groups its namesakes.
absl::StatusOr<std::vector<NodeId>> ColocationGroups(const Graph& graph);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COLOCATION_H_
