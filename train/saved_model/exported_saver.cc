// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/exported_saver.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/saver.pb.h"
#include "leat/train/saver_nodes.h"

namespace leat {
namespace {

// Returns the first of "save/", "save_1/" and so on that is not the beginning
// of a node's name.
std::string UnusedScope(const Graph& graph) {
  const std::vector<NodeId> ids = graph.NodeIds();
  const auto is_used = [&](const std::string& scope) {
    return absl::c_any_of(ids, [&](NodeId id) {
      return absl::StartsWith(graph.node(id).name(), scope);
    });
  };
  std::string scope = "save/";
  for (int i = 1; is_used(scope); ++i) scope = absl::StrCat("save_", i, "/");
  return scope;
}

// Adds a copy of the variable `node` to the builder. Reads a resource variable
// in the scope `scope`.
absl::StatusOr<SavedVariable> AddStandIn(const Node& node,
                                         const std::string& scope,
                                         GraphBuilder& b) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs().Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        node.attrs().Get<PartialShape>("shape"));
  const Output handle = b.AddOp({.op = node.op(),
                                 .attrs = node.attrs(),
                                 .name = absl::StrCat(node.name(), "/")})
                            .output(0);
  SavedVariable saved{
      .handle = handle, .value = handle, .shape = shape, .key = node.name()};
  if (handle.is_ref()) return saved;
  const Scope names = b.NameScope(scope);
  saved.value = op::ReadVariableOp(handle, dtype);
  return saved;
}

// Adds the nodes of `more` to `graph`, except nodes whose names `graph` already
// has.
absl::Status AddMissing(const Graph& more, Graph& graph) {
  std::vector<NodeId> ids(more.num_ids(), kNoNode);
  for (const NodeId id : more.NodeIds()) {
    const Node& node = more.node(id);
    ids[id] = graph.Find(node.name());
    if (ids[id] != kNoNode) continue;
    std::vector<Endpoint> inputs;
    for (const Endpoint input : node.inputs) {
      inputs.push_back({ids[input.node], input.index});
    }
    std::vector<NodeId> controls;
    for (const NodeId control : node.controls) controls.push_back(ids[control]);
    LEAT_ASSIGN_OR_RETURN(ids[id], graph.Add(*node.def, inputs, controls));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<pb::SaverDef> AddExportedSaver(
    const std::vector<NodeId>& variables, Graph& graph) {
  const std::string scope = UnusedScope(graph);
  GraphBuilder b(graph.ops());
  std::vector<SavedVariable> saved;
  for (const NodeId id : variables) {
    LEAT_ASSIGN_OR_RETURN(saved.emplace_back(),
                          AddStandIn(graph.node(id), scope, b));
  }
  const SaverNodes nodes =
      AddSaverNodes(b, saved, /*sharded=*/false, scope, {});
  LEAT_RETURN_IF_ERROR(b.status());
  LEAT_RETURN_IF_ERROR(AddMissing(b.graph(), graph));
  return nodes.ToProto(/*max_to_keep=*/5, /*sharded=*/false);
}

}  // namespace leat
