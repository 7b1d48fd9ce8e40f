// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/saved_model_graph.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/core/files/file_access.h"
#include "leat/core/status_macros.h"
#include "leat/graph/clear_devices.h"
#include "leat/graph/variable_ops.h"
#include "leat/protos/saved_model.pb.h"
#include "leat/train/saved_model/assets.h"
#include "leat/train/saved_model/init_op.h"
#include "leat/train/saved_model/meta_graphs.h"

namespace leat {
namespace {

// Returns NOT_FOUND if there is no file of this name.
absl::Status CheckExists(const std::string& path, absl::string_view what) {
  LEAT_ASSIGN_OR_RETURN(const bool exists,
                        FileAccess::Unrestricted().Exists(path));
  if (exists) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat(what, ": there is no file '", path, "'"));
}

bool HasVariables(const Graph& graph) {
  return absl::c_any_of(graph.NodeIds(), [&](NodeId id) {
    return IsVariableOp(graph.node(id).op());
  });
}

// Sets the fields of `model` that restore the variables. As in TensorFlow, a
// graph without variables needs no checkpoint.
absl::Status SetRestore(const pb::SaverDef& saver, const std::string& folder,
                        SavedModelGraph& model) {
  if (saver.restore_op_name().empty()) return absl::OkStatus();
  const std::string prefix = absl::StrCat(folder, "/", kVariablesPrefix);
  const absl::Status exist =
      CheckExists(IndexPath(prefix), "the values of its variables are missing");
  if (absl::IsNotFound(exist) && !HasVariables(model.graph)) {
    return absl::OkStatus();
  }
  LEAT_RETURN_IF_ERROR(exist);
  model.restore_op = saver.restore_op_name();
  model.restore_prefix_tensor = saver.filename_tensor_name();
  model.restore_prefix = prefix;
  return absl::OkStatus();
}

// Loads the graph of a SavedModel in a folder with an absolute path.
absl::StatusOr<SavedModelGraph> Load(const std::string& folder,
                                     const SavedModelGraphOptions& options,
                                     const OpRegistry& ops) {
  pb::SavedModel message;
  LEAT_RETURN_IF_ERROR(ReadSavedModel(folder, message));
  LEAT_ASSIGN_OR_RETURN(const pb::MetaGraphDef* meta,
                        FindMetaGraph(message, options.tags));
  LEAT_ASSIGN_OR_RETURN(Graph graph,
                        ImportGraphDef(meta->graph_def(), ops, options.limits));
  SavedModelGraph model{.graph = std::move(graph)};
  if (!options.keep_devices) ClearDevices(model.graph);
  LEAT_ASSIGN_OR_RETURN(model.signatures, SignaturesOf(*meta));
  LEAT_ASSIGN_OR_RETURN(model.init_op, InitOpOf(*meta));
  LEAT_ASSIGN_OR_RETURN(const std::vector<Asset> assets, AssetsOf(*meta));
  const std::string assets_folder = absl::StrCat(folder, "/", kAssetsFolder);
  for (const Asset& asset : assets) {
    LEAT_RETURN_IF_ERROR(
        CheckExists(absl::StrCat(assets_folder, "/", asset.file),
                    "one of its assets is missing"));
  }
  LEAT_RETURN_IF_ERROR(BindAssets(assets, assets_folder, model.graph));
  LEAT_RETURN_IF_ERROR(SetRestore(meta->saver_def(), folder, model));
  return model;
}

}  // namespace

bool IsSavedModelFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

absl::StatusOr<SavedModelGraph> LoadSavedModelGraph(
    const std::string& folder, const SavedModelGraphOptions& options,
    const OpRegistry& ops) {
  std::error_code error;
  // Tasks of a cluster may have other working directories.
  const std::string absolute =
      std::filesystem::absolute(folder, error).string();
  absl::StatusOr<SavedModelGraph> model =
      Load(error ? folder : absolute, options, ops);
  if (model.ok()) return model;
  return absl::Status(
      model.status().code(),
      absl::StrCat("SavedModel '", folder, "': ", model.status().message()));
}

absl::Status Initialize(const SavedModelGraph& model, Session& session,
                        const RunOptions& options) {
  RunArgs args{.options = options};
  if (!model.restore_op.empty()) {
    args.feeds = {{model.restore_prefix_tensor,
                   Tensor::Scalar<std::string>(model.restore_prefix)}};
    args.targets = {model.restore_op};
    LEAT_RETURN_IF_ERROR(session.Run(args).status());
  }
  if (model.init_op.empty()) return absl::OkStatus();
  args.feeds.clear();
  args.targets = {model.init_op};
  return session.Run(args).status();
}

}  // namespace leat
