// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/internal_node.h"

#include <memory>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"

namespace leat {

absl::StatusOr<NodeId> AddInternalNode(absl::string_view op, NodeDef def,
                                       int device, Graph& graph) {
  LEAT_ASSIGN_OR_RETURN(def.op, graph.ops().Lookup(op));
  LEAT_ASSIGN_OR_RETURN(def.input_types, InputTypes(*def.op, def.attrs));
  LEAT_ASSIGN_OR_RETURN(def.output_types, OutputTypes(*def.op, def.attrs));
  Node node;
  node.def = std::make_shared<const NodeDef>(std::move(def));
  node.device = device;
  return graph.AddUnchecked(std::move(node));
}

}  // namespace leat
