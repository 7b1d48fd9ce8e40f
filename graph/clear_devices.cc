// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/clear_devices.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "leat/core/check.h"

namespace leat {
namespace {

// Removes the devices of the nodes in functions. Leaves functions whose nodes
// request no device as they are.
void ClearFunctions(FunctionLibrary& functions) {
  const FunctionLibrary::Map all = functions.functions();
  for (const auto& [name, function] : all) {
    if (std::all_of(
            function->nodes.begin(), function->nodes.end(),
            [](const FunctionNode& node) { return node.device.empty(); })) {
      continue;
    }
    auto cleared = std::make_shared<Function>(*function);
    for (FunctionNode& node : cleared->nodes) node.device.clear();
    functions.Remove(name);
    LEAT_CHECK(functions.Add(std::move(cleared)).ok());
  }
}

}  // namespace

void ClearDevices(Graph& graph) {
  // A node that calls a function by name points at the signature of the
  // function. `before` keeps the old signatures alive.
  const FunctionLibrary before = graph.functions();
  ClearFunctions(graph.functions());
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const Function* called = graph.functions().Find(node.op());
    const OpDef* op = called != nullptr ? &called->signature : node.def->op;
    if (node.def->device.empty() && op == node.def->op) continue;
    NodeDef def = *node.def;
    def.op = op;
    def.device.clear();
    graph.Replace(id, std::make_shared<const NodeDef>(std::move(def)));
  }
}

}  // namespace leat
