// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/freeze.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/variable_ops.h"
#include "leat/train/replace_handles.h"

namespace leat {
namespace {

// Returns the nodes that `outputs` name.
absl::StatusOr<std::vector<NodeId>> FindOutputs(
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

// Fails if a reference variable is updated on the way to an output, because the
// variable's value is then not a constant.
absl::Status CheckOnlyRead(const Graph& graph,
                           const std::vector<bool>& needed) {
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id) || !needed[id]) continue;
    const Node& node = graph.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Node& producer = graph.node(node.inputs[i].node);
      if (IsRef(node.def->input_types[i]) && IsVariableOp(producer.op())) {
        return absl::InvalidArgumentError(
            absl::StrCat("variable '", producer.name(), "' cannot be frozen: '",
                         node.name(), "' changes it"));
      }
    }
  }
  return absl::OkStatus();
}

// Maps each VarHandleOp to a ReadVariableOp that reads its variable. Neither
// node has control inputs. A VarHandleOp without such a ReadVariableOp is left
// out.
absl::flat_hash_map<NodeId, NodeId> FindReads(const Graph& graph) {
  absl::flat_hash_map<NodeId, NodeId> reads;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (node.op() != "ReadVariableOp" || !node.controls.empty()) continue;
    const NodeId handle = node.inputs[0].node;
    if (graph.node(handle).controls.empty()) reads.emplace(handle, id);
  }
  return reads;
}

// Adds the handle of a variable and a node that reads it to `addition`. Returns
// the name of that node.
absl::StatusOr<std::string> AddRead(const Graph& graph, NodeId handle,
                                    Graph& addition) {
  Node node = graph.node(handle);
  if (!node.controls.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "variable '", node.name(),
        "' cannot be frozen: it waits for other nodes (it has control "
        "inputs)"));
  }
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs().Get<DType>("dtype"));
  NodeDef read{.name = absl::StrCat(node.name(), "/frozen_value"),
               .attrs = {{"dtype", dtype}},
               .device = node.def->device};
  while (graph.Find(read.name) != kNoNode) absl::StrAppend(&read.name, "_");
  LEAT_ASSIGN_OR_RETURN(read.op, graph.ops().Lookup("ReadVariableOp"));
  std::string name = read.name;
  const Endpoint added = {addition.AddUnchecked(std::move(node)), 0};
  LEAT_RETURN_IF_ERROR(addition.Add(std::move(read), {added}).status());
  return name;
}

// Returns the values that the variables have in the session.
absl::StatusOr<std::vector<Tensor>> ReadVariables(
    const Graph& graph, const std::vector<NodeId>& variables,
    Session& session) {
  const absl::flat_hash_map<NodeId, NodeId> reads = FindReads(graph);
  Graph addition(graph.ops());
  RunArgs run;
  for (const NodeId id : variables) {
    const Node& node = graph.node(id);
    if (node.op() != "VarHandleOp") {
      run.fetches.push_back(node.name());
    } else if (const auto it = reads.find(id); it != reads.end()) {
      run.fetches.push_back(graph.node(it->second).name());
    } else {
      LEAT_ASSIGN_OR_RETURN(std::string read, AddRead(graph, id, addition));
      run.fetches.push_back(std::move(read));
    }
  }
  if (addition.num_nodes() > 0) {
    LEAT_RETURN_IF_ERROR(session.Extend(addition));
  }
  if (run.fetches.empty()) return std::vector<Tensor>();
  return session.Run(run);
}

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

// Removes the functions that nothing calls any more. Fails if a remaining
// function makes a variable.
absl::Status PruneFunctions(Graph& graph) {
  const absl::flat_hash_set<std::string> called = CalledFunctions(graph);
  const FunctionLibrary::Map all = graph.functions().functions();
  for (const auto& [name, function] : all) {
    if (!called.contains(name)) {
      graph.functions().Remove(name);
      continue;
    }
    for (const FunctionNode& node : function->nodes) {
      if (!IsVariableOp(node.op)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("variable '", node.name,
                       "' cannot be frozen: function '", name, "' makes it"));
    }
  }
  return absl::OkStatus();
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

absl::StatusOr<Graph> FreezeVariables(const Graph& graph, Session& session,
                                      const std::vector<TensorName>& outputs) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> roots,
                        FindOutputs(graph, outputs));
  const std::vector<bool> needed = NeededBy(graph, roots);
  std::vector<NodeId> variables;
  for (const NodeId id : graph.NodeIds()) {
    if (needed[id] && IsVariableOp(graph.node(id).op())) {
      variables.push_back(id);
    }
  }
  LEAT_RETURN_IF_ERROR(CheckOnlyRead(graph, needed));
  LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> values,
                        ReadVariables(graph, variables, session));
  Graph frozen = graph;
  absl::flat_hash_map<NodeId, Tensor> handles;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (graph.node(variables[i]).op() == "VarHandleOp") {
      handles.emplace(variables[i], std::move(values[i]));
    } else {
      LEAT_RETURN_IF_ERROR(
          ReplaceByConst(variables[i], std::move(values[i]), frozen));
    }
  }
  LEAT_RETURN_IF_ERROR(ReplaceHandles(handles, needed, frozen));
  const std::vector<bool> kept = NeededBy(frozen, roots);
  for (const NodeId id : frozen.NodeIds()) {
    if (!kept[id]) frozen.Remove(id);
  }
  if (frozen.Find(frozen.init_op()) == kNoNode) frozen.set_init_op("");
  LEAT_RETURN_IF_ERROR(PruneFunctions(frozen));
  PruneColocation(frozen);
  return frozen;
}

}  // namespace leat
