// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/freeze.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/clear_devices.h"
#include "leat/graph/variable_ops.h"
#include "leat/train/needed_part.h"
#include "leat/train/replace_handles.h"
#include "leat/train/variable_reads.h"

namespace leat {
namespace {

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

// Fails if an output needs an iterator whose dataset an initializer sets,
// because no step of a frozen graph runs the initializer. (A OneShotIterator
// needs none.)
absl::Status CheckNoIterator(const Graph& graph,
                             const std::vector<bool>& needed) {
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (!needed[id] || (node.op() != "Iterator" && node.op() != "IteratorV2")) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "iterator '", node.name(),
        "' cannot be frozen: its elements are no constants, and the frozen "
        "graph has no initializer; freeze outputs that need a Placeholder "
        "instead"));
  }
  return absl::OkStatus();
}

// Returns the values that the variables have in the session.
absl::StatusOr<std::vector<Tensor>> ReadVariables(
    const Graph& graph, const std::vector<NodeId>& variables,
    Session& session) {
  RunArgs run;
  LEAT_ASSIGN_OR_RETURN(run.fetches, VariableReads(graph, variables, session));
  if (run.fetches.empty()) return std::vector<Tensor>();
  return session.Run(run);
}

}  // namespace

absl::StatusOr<Graph> FreezeVariables(const Graph& graph, Session& session,
                                      const std::vector<TensorName>& outputs,
                                      const FreezeOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> roots,
                        FindNodes(graph, outputs));
  const std::vector<bool> needed = NeededBy(graph, roots);
  std::vector<NodeId> variables;
  for (const NodeId id : graph.NodeIds()) {
    if (needed[id] && IsVariableOp(graph.node(id).op())) {
      variables.push_back(id);
    }
  }
  LEAT_RETURN_IF_ERROR(CheckOnlyRead(graph, needed));
  LEAT_RETURN_IF_ERROR(CheckNoIterator(graph, needed));
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
  KeepNeeded(roots, frozen);
  LEAT_RETURN_IF_ERROR(CheckFunctionsMakeNoVariable(frozen));
  if (!options.keep_devices) ClearDevices(frozen);
  return frozen;
}

}  // namespace leat
