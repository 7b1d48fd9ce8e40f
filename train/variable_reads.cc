// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/variable_reads.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

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
        "' cannot be exported: it waits for other nodes (it has control "
        "inputs)"));
  }
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs().Get<DType>("dtype"));
  NodeDef read{.name = absl::StrCat(node.name(), "/exported_value"),
               .attrs = {{"dtype", dtype}},
               .device = node.def->device};
  while (graph.Find(read.name) != kNoNode) absl::StrAppend(&read.name, "_");
  LEAT_ASSIGN_OR_RETURN(read.op, graph.ops().Lookup("ReadVariableOp"));
  std::string name = read.name;
  const Endpoint added = {addition.AddUnchecked(std::move(node)), 0};
  LEAT_RETURN_IF_ERROR(addition.Add(std::move(read), {added}).status());
  return name;
}

}  // namespace

absl::StatusOr<std::vector<TensorName>> VariableReads(
    const Graph& graph, const std::vector<NodeId>& variables,
    Session& session) {
  const absl::flat_hash_map<NodeId, NodeId> reads = FindReads(graph);
  Graph addition(graph.ops());
  std::vector<TensorName> tensors;
  for (const NodeId id : variables) {
    const Node& node = graph.node(id);
    if (node.op() != "VarHandleOp") {
      tensors.push_back(node.name());
    } else if (const auto it = reads.find(id); it != reads.end()) {
      tensors.push_back(graph.node(it->second).name());
    } else {
      LEAT_ASSIGN_OR_RETURN(std::string read, AddRead(graph, id, addition));
      tensors.push_back(std::move(read));
    }
  }
  if (addition.num_nodes() > 0) {
    LEAT_RETURN_IF_ERROR(session.Extend(addition));
  }
  return tensors;
}

}  // namespace leat
