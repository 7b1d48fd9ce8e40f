// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/internal_node.h"

#include <utility>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"

namespace leat {

absl::StatusOr<std::shared_ptr<const NodeDef>> InternalNodeDef(
    absl::string_view op, NodeDef def, const OpRegistry& ops) {
  LEAT_ASSIGN_OR_RETURN(def.op, ops.Lookup(op));
  LEAT_ASSIGN_OR_RETURN(def.input_types, InputTypes(*def.op, def.attrs));
  LEAT_ASSIGN_OR_RETURN(def.output_types, OutputTypes(*def.op, def.attrs));
  return std::make_shared<const NodeDef>(std::move(def));
}

absl::StatusOr<NodeId> AddInternalNode(absl::string_view op, NodeDef def,
                                       int device, Graph& graph) {
  Node node;
  LEAT_ASSIGN_OR_RETURN(node.def,
                        InternalNodeDef(op, std::move(def), graph.ops()));
  node.device = device;
  return graph.AddUnchecked(std::move(node));
}

}  // namespace leat
