// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Nodes that only the planner makes: their names and ops may begin with '_'.
#ifndef LEAT_PARTITIONER_INTERNAL_NODE_H_
#define LEAT_PARTITIONER_INTERNAL_NODE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"

namespace leat {

// `def` with op and types filled in. NOT_FOUND when there is no such op.
// REQUIRES: all attrs.
absl::StatusOr<std::shared_ptr<const NodeDef>> InternalNodeDef(
    absl::string_view op, NodeDef def, const OpRegistry& ops);

// Adds `def`, whose op and types are filled in, on an assigned device of
// `graph`. Its inputs are the caller's to set. NOT_FOUND when there is no such
// op. REQUIRES: all attrs; a name that is not taken.
absl::StatusOr<NodeId> AddInternalNode(absl::string_view op, NodeDef def,
                                       int device, Graph& graph);

}  // namespace leat

#endif  // LEAT_PARTITIONER_INTERNAL_NODE_H_
