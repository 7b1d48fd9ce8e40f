// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make nodes that only the planner adds. The names of these
// nodes may begin with '_'. Graph::Add refuses such names, so a client's nodes
// cannot have them. The names of the ops may begin with '_', too.
#ifndef LEAT_PARTITIONER_INTERNAL_NODE_H_
#define LEAT_PARTITIONER_INTERNAL_NODE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/graph/graph.h"

namespace leat {

// Returns `def` with the op named `op`, and with the input and output types
// that follow from the attrs of `def`. Returns NOT_FOUND if there is no such
// op. REQUIRES: `def` has all attrs.
absl::StatusOr<std::shared_ptr<const NodeDef>> InternalNodeDef(
    absl::string_view op, NodeDef def, const OpRegistry& ops);

// Completes `def` as InternalNodeDef does, adds a node with it to `graph`, and
// returns the node's id. `device` is an index into the graph's devices. The
// caller must set the node's inputs. Fails as InternalNodeDef does. REQUIRES:
// `def` has all attrs and a name that is not taken.
absl::StatusOr<NodeId> AddInternalNode(absl::string_view op, NodeDef def,
                                       int device, Graph& graph);

}  // namespace leat

#endif  // LEAT_PARTITIONER_INTERNAL_NODE_H_
