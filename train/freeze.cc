// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/freeze.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/consumers.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

bool IsVariable(const Node& node) {
  return node.op() == "VarHandleOp" || node.op() == "VariableV2" ||
         node.op() == "Variable";
}

// The nodes that give a variable's value: ReadVariableOp of a resource, and a
// reference variable itself.
bool ReadsVariable(const Node& node) {
  return node.op() == "ReadVariableOp" ||
         (IsVariable(node) && node.op() != "VarHandleOp");
}

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

// A reference variable that is updated on the way to an output is no constant.
absl::Status CheckOnlyRead(const Graph& graph,
                           const std::vector<bool>& needed) {
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id) || !needed[id]) continue;
    const Node& node = graph.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Node& producer = graph.node(node.inputs[i].node);
      if (IsRef(node.def->input_types[i]) && IsVariable(producer)) {
        return absl::InvalidArgumentError(
            absl::StrCat("variable '", producer.name(), "' cannot be frozen: '",
                         node.name(), "' changes it"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ReplaceByConst(Graph& graph, NodeId id, Tensor value) {
  NodeDef def{.name = graph.node(id).name(),
              .device = graph.node(id).def->device};
  LEAT_ASSIGN_OR_RETURN(def.op, graph.ops().Lookup("Const"));
  def.attrs.Set("dtype", value.dtype());
  def.output_types = {value.dtype()};
  def.attrs.Set("value", std::move(value));
  graph.mutable_node(id).inputs.clear();
  graph.mutable_node(id).controls.clear();
  graph.Replace(id, std::make_shared<const NodeDef>(std::move(def)));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Graph> FreezeVariables(const Graph& graph, Session& session,
                                      const std::vector<TensorName>& outputs) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> roots,
                        FindOutputs(graph, outputs));
  const std::vector<bool> needed = ReachedFrom(graph, roots);
  std::vector<NodeId> reads;
  RunArgs run;
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id) || !needed[id]) continue;
    if (!ReadsVariable(graph.node(id))) continue;
    reads.push_back(id);
    run.fetches.push_back(graph.node(id).name());
  }
  std::vector<Tensor> values;
  if (!reads.empty()) {
    LEAT_ASSIGN_OR_RETURN(values, session.Run(run));
  }
  LEAT_RETURN_IF_ERROR(CheckOnlyRead(graph, needed));
  Graph frozen = graph;
  for (size_t i = 0; i < reads.size(); ++i) {
    LEAT_RETURN_IF_ERROR(
        ReplaceByConst(frozen, reads[i], std::move(values[i])));
  }
  const std::vector<bool> kept = ReachedFrom(frozen, roots);
  for (NodeId id = 0; id < frozen.num_ids(); ++id) {
    if (!frozen.Contains(id)) continue;
    if (!kept[id]) {
      frozen.Remove(id);
    } else if (IsVariable(frozen.node(id))) {
      return absl::InvalidArgumentError(
          absl::StrCat("variable '", frozen.node(id).name(),
                       "' cannot be frozen: it is used by more than reads"));
    }
  }
  return frozen;
}

}  // namespace leat
