// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/deadness.h"

#include "leat/graph/analysis/control_flow_ops.h"

namespace leat {
namespace {

bool IsRecv(const Node& node) {
  return node.op() == "_Recv" || node.op() == "_HostRecv";
}

}  // namespace

bool CanCarryDeadTensors(const Graph& graph) {
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    const Node& node = graph.node(id);
    // Pruning may leave a Merge without its Switches. Such a Merge still has to
    // choose one of its inputs.
    if (IsSwitch(node) || IsMerge(node)) return true;
    if (IsRecv(node) &&
        node.attrs().GetOr<bool>(kMayBeDeadAttr, true).value_or(true)) {
      return true;
    }
  }
  return false;
}

}  // namespace leat
