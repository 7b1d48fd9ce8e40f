// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/needed_part.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/variable_ops.h"

namespace leat {
namespace {

// Returns the names of the functions that the graph calls, directly or through
// others.
absl::flat_hash_set<std::string> CalledFunctions(const Graph& graph) {
  absl::flat_hash_set<std::string> called;
  std::vector<const Function*> pending;
  const auto add = [&](const std::string& name) {
    const Function* function = graph.functions().Find(name);
    if (function == nullptr || !called.insert(name).second) return;
    pending.push_back(function);
  };
  const auto add_of = [&](const std::string& op, const AttrMap& attrs) {
    add(op);
    ForEachFunctionRef(graph.ops().Find(op), attrs,
                       [&](const std::string&, const FunctionRef& function) {
                         add(function.name);
                       });
  };
  for (const NodeId id : graph.NodeIds()) {
    add_of(graph.node(id).op(), graph.node(id).attrs());
  }
  while (!pending.empty()) {
    const Function& function = *pending.back();
    pending.pop_back();
    for (const FunctionNode& node : function.nodes) add_of(node.op, node.attrs);
  }
  return called;
}

// Removes the functions that nothing calls any more.
void PruneFunctions(Graph& graph) {
  const absl::flat_hash_set<std::string> called = CalledFunctions(graph);
  const FunctionLibrary::Map all = graph.functions().functions();
  for (const auto& [name, function] : all) {
    if (!called.contains(name)) graph.functions().Remove(name);
  }
}

// Removes requests for colocation with nodes that no longer exist. TensorFlow
// refuses a graph with such a request.
void PruneColocation(Graph& graph) {
  constexpr char kClass[] = "_class";
  for (const NodeId id : graph.NodeIds()) {
    const auto classes =
        graph.node(id).attrs().Get<std::vector<std::string>>(kClass);
    if (!classes.ok()) continue;
    std::vector<std::string> kept;
    for (const std::string& text : *classes) {
      absl::string_view name = text;
      if (absl::ConsumePrefix(&name, "loc:@") && graph.Find(name) == kNoNode) {
        continue;
      }
      kept.push_back(text);
    }
    if (kept.size() == classes->size()) continue;
    NodeDef def = *graph.node(id).def;
    def.attrs.Erase(kClass);
    if (!kept.empty()) def.attrs.Set(kClass, std::move(kept));
    graph.Replace(id, std::make_shared<const NodeDef>(std::move(def)));
  }
}

}  // namespace

absl::StatusOr<std::vector<NodeId>> FindNodes(
    const Graph& graph, const std::vector<TensorName>& outputs) {
  std::vector<NodeId> nodes;
  for (const TensorName& output : outputs) {
    LEAT_ASSIGN_OR_RETURN(const TensorId id, TensorId::Parse(output.text));
    nodes.push_back(graph.Find(id.node));
    if (nodes.back() == kNoNode) {
      return absl::NotFoundError(
          absl::StrCat("output '", output.text, "' is not in the graph"));
    }
  }
  return nodes;
}

void KeepNeeded(const std::vector<NodeId>& roots, Graph& graph) {
  const std::vector<bool> kept = NeededBy(graph, roots);
  for (const NodeId id : graph.NodeIds()) {
    if (!kept[id]) graph.Remove(id);
  }
  if (graph.Find(graph.init_op()) == kNoNode) graph.set_init_op("");
  PruneFunctions(graph);
  PruneColocation(graph);
}

absl::Status CheckFunctionsMakeNoVariable(const Graph& graph) {
  for (const auto& [name, function] : graph.functions().functions()) {
    for (const FunctionNode& node : function->nodes) {
      if (!IsVariableOp(node.op)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("variable '", node.name,
                       "' cannot be exported: function '", name, "' makes it"));
    }
  }
  return absl::OkStatus();
}

}  // namespace leat
