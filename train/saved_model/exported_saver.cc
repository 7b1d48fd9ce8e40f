// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/exported_saver.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/saver.pb.h"

namespace leat {
namespace {

// Returns the first of "save", "save_1" and so on in which no node is.
std::string UnusedScope(const Graph& graph) {
  const std::vector<NodeId> ids = graph.NodeIds();
  const auto is_used = [&](const std::string& scope) {
    return absl::c_any_of(ids, [&](NodeId id) {
      return absl::StartsWith(graph.node(id).name(), scope + "/");
    });
  };
  std::string scope = "save";
  for (int i = 1; is_used(scope); ++i) scope = absl::StrCat("save_", i);
  return scope;
}

// Adds the nodes of one saver.
class ExportedSaver {
 public:
  ExportedSaver(const std::vector<NodeId>& variables, Graph& graph)
      : variables_(variables), graph_(graph), scope_(UnusedScope(graph)) {}

  absl::StatusOr<pb::SaverDef> Add() {
    for (const NodeId id : variables_) {
      LEAT_ASSIGN_OR_RETURN(const DType dtype,
                            graph_.node(id).attrs().Get<DType>("dtype"));
      dtypes_.push_back(dtype);
      names_.push_back(graph_.node(id).name());
    }
    LEAT_ASSIGN_OR_RETURN(
        const NodeId model,
        AddConst("filename/input", Tensor::Scalar<std::string>("model")));
    LEAT_ASSIGN_OR_RETURN(
        prefix_, AddNode("Const", "PlaceholderWithDefault",
                         {{"dtype", DType::kString}, {"shape", PartialShape{}}},
                         {{model, 0}}));
    LEAT_RETURN_IF_ERROR(AddSave());
    LEAT_RETURN_IF_ERROR(AddRestore());
    pb::SaverDef def;
    def.set_filename_tensor_name(absl::StrCat(scope_, "/Const:0"));
    def.set_save_tensor_name(absl::StrCat(scope_, "/control_dependency:0"));
    def.set_restore_op_name(absl::StrCat(scope_, "/restore_all"));
    def.set_max_to_keep(5);
    def.set_keep_checkpoint_every_n_hours(10000);
    def.set_version(pb::SaverDef::V2);
    return def;
  }

 private:
  absl::StatusOr<NodeId> AddNode(absl::string_view name, absl::string_view op,
                                 AttrMap attrs,
                                 absl::Span<const Endpoint> inputs,
                                 absl::Span<const NodeId> controls = {}) {
    NodeDef def{.name = absl::StrCat(scope_, "/", name),
                .attrs = std::move(attrs)};
    LEAT_ASSIGN_OR_RETURN(def.op, graph_.ops().Lookup(op));
    return graph_.Add(std::move(def), inputs, controls);
  }

  absl::StatusOr<NodeId> AddConst(absl::string_view name, Tensor value) {
    return AddNode(name, "Const",
                   {{"dtype", value.dtype()}, {"value", std::move(value)}}, {});
  }

  // Adds what SaveV2 and RestoreV2, which `op` names, take first: the prefix
  // and which tensors of the checkpoint are meant.
  absl::StatusOr<std::vector<Endpoint>> AddNames(absl::string_view op) {
    const Shape shape{static_cast<int64_t>(names_.size())};
    LEAT_ASSIGN_OR_RETURN(
        const NodeId names,
        AddConst(absl::StrCat(op, "/tensor_names"),
                 Tensor::FromSpan<std::string>(shape, names_)));
    LEAT_ASSIGN_OR_RETURN(const NodeId slices,
                          AddConst(absl::StrCat(op, "/shape_and_slices"),
                                   Tensor::Filled<std::string>(shape, "")));
    return std::vector<Endpoint>{{prefix_, 0}, {names, 0}, {slices, 0}};
  }

  // Returns the value of variable number `i`.
  absl::StatusOr<Endpoint> ValueOf(size_t i) {
    const Endpoint variable{variables_[i], 0};
    if (graph_.node(variable.node).op() != "VarHandleOp") return variable;
    LEAT_ASSIGN_OR_RETURN(
        const NodeId read,
        AddNode(absl::StrCat("value_", i, "/ReadVariableOp"), "ReadVariableOp",
                {{"dtype", dtypes_[i]}}, {variable}));
    return Endpoint{read, 0};
  }

  absl::Status AddSave() {
    LEAT_ASSIGN_OR_RETURN(std::vector<Endpoint> inputs, AddNames("SaveV2"));
    for (size_t i = 0; i < variables_.size(); ++i) {
      LEAT_ASSIGN_OR_RETURN(inputs.emplace_back(), ValueOf(i));
    }
    LEAT_ASSIGN_OR_RETURN(
        const NodeId save,
        AddNode("SaveV2", "SaveV2", {{"dtypes", dtypes_}}, inputs));
    return AddNode("control_dependency", "Identity", {{"T", DType::kString}},
                   {{prefix_, 0}}, {save})
        .status();
  }

  absl::Status AddRestore() {
    LEAT_ASSIGN_OR_RETURN(const std::vector<Endpoint> inputs,
                          AddNames("RestoreV2"));
    LEAT_ASSIGN_OR_RETURN(
        const NodeId restore,
        AddNode("RestoreV2", "RestoreV2", {{"dtypes", dtypes_}}, inputs));
    std::vector<NodeId> assigned;
    for (size_t i = 0; i < variables_.size(); ++i) {
      const bool is_resource = graph_.node(variables_[i]).op() == "VarHandleOp";
      const std::string op = is_resource ? "AssignVariableOp" : "Assign";
      LEAT_ASSIGN_OR_RETURN(
          assigned.emplace_back(),
          AddNode(absl::StrCat(op, i == 0 ? "" : absl::StrCat("_", i)), op,
                  {{is_resource ? "dtype" : "T", dtypes_[i]}},
                  {{variables_[i], 0}, {restore, static_cast<int>(i)}}));
    }
    return AddNode("restore_all", "NoOp", {}, {}, assigned).status();
  }

  const std::vector<NodeId>& variables_;
  Graph& graph_;
  const std::string scope_;
  std::vector<DType> dtypes_;       // of the variables
  std::vector<std::string> names_;  // of the variables
  NodeId prefix_ = kNoNode;
};

}  // namespace

absl::StatusOr<pb::SaverDef> AddExportedSaver(
    const std::vector<NodeId>& variables, Graph& graph) {
  return ExportedSaver(variables, graph).Add();
}

}  // namespace leat
