// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/save_saved_model.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/clear_devices.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/io/message_file.h"
#include "leat/graph/variable_ops.h"
#include "leat/protos/saved_model.pb.h"
#include "leat/train/needed_part.h"
#include "leat/train/saved_model/assets.h"
#include "leat/train/saved_model/exported_saver.h"
#include "leat/train/saved_model/init_op.h"
#include "leat/train/saved_model/meta_graphs.h"
#include "leat/train/saved_model/signature.h"
#include "leat/train/variable_reads.h"

namespace leat {
namespace {

// Files are copied in pieces of this size.
constexpr int64_t kPieceBytes = int64_t{1} << 20;

// A ScratchFolder is a temporary folder beside `folder`. The destructor removes
// it with its contents, unless Rename has given it the name `folder`.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::string folder)
      : folder_(std::move(folder)),
        path_(absl::StrCat(folder_, ".", RandomHandle())) {}
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }

  // Returns the path of a file in the folder.
  std::string Path(absl::string_view name) const {
    return absl::StrCat(path_, "/", name);
  }

  // Renames the temporary folder to `folder`. REQUIRES: the contents of the
  // files are on the disk.
  absl::Status Rename() {
    const FileAccess files = FileAccess::Unrestricted();
    LEAT_RETURN_IF_ERROR(files.SyncFolderOf(Path(kSavedModelFile)));
    LEAT_RETURN_IF_ERROR(files.Rename(path_, folder_));
    path_.clear();
    return files.SyncFolderOf(folder_);
  }

 private:
  const std::string folder_;
  std::string path_;  // empty once it is renamed
};

// Returns ALREADY_EXISTS if there is a file, or a folder that is not empty, at
// the path.
absl::Status CheckUnused(const std::string& folder) {
  const FileAccess files = FileAccess::Unrestricted();
  LEAT_ASSIGN_OR_RETURN(const bool exists, files.Exists(folder));
  if (!exists) return absl::OkStatus();
  const auto content = files.List(folder);
  if (content.ok() && content->empty()) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      "Export directory ", folder,
      " already exists, and isn't empty. Please choose a different export "
      "directory, or delete all the contents of the specified directory."));
}

// Returns the names of all tensors and ops that the model must have.
std::vector<TensorName> NamesOf(const SaveSavedModelOptions& options) {
  std::vector<TensorName> names;
  for (const auto& [name, signature] : options.signatures) {
    for (const auto& [key, tensor] : signature.inputs) names.push_back(tensor);
    for (const auto& [key, tensor] : signature.outputs) names.push_back(tensor);
  }
  if (options.init_op.has_value()) names.push_back(*options.init_op);
  for (const auto& [tensor, file] : options.assets) names.push_back(tensor);
  return names;
}

// Describes tensors of a graph.
class Describer {
 public:
  static absl::StatusOr<Describer> Create(const Graph& graph) {
    LEAT_ASSIGN_OR_RETURN(auto inferred, InferShapes(graph));
    return Describer(graph, std::move(inferred));
  }

  absl::StatusOr<std::map<std::string, SignatureTensor>> Describe(
      const std::map<std::string, TensorName>& tensors) const {
    std::map<std::string, SignatureTensor> described;
    for (const auto& [key, name] : tensors) {
      LEAT_ASSIGN_OR_RETURN(described[key], DescribeOne(name));
    }
    return described;
  }

 private:
  Describer(const Graph& graph,
            std::vector<std::vector<InferredOutput>> inferred)
      : graph_(graph), inferred_(std::move(inferred)) {}

  absl::StatusOr<SignatureTensor> DescribeOne(const TensorName& name) const {
    LEAT_ASSIGN_OR_RETURN(const TensorId id, TensorId::Parse(name.text));
    const NodeId node = graph_.Find(id.node);  // FindNodes has found it
    if (id.index < 0 || id.index >= graph_.node(node).num_outputs()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", name.text, "' is not a tensor: node '", id.node,
                       "' has ", graph_.node(node).num_outputs(), " outputs"));
    }
    return SignatureTensor{
        .tensor = absl::StrCat(id.node, ":", id.index),
        .dtype = BaseOf(graph_.node(node).output_type(id.index)),
        .shape = inferred_[node][id.index].shape};
  }

  const Graph& graph_;
  const std::vector<std::vector<InferredOutput>> inferred_;
};

// Returns the variables, sorted by name.
std::vector<NodeId> VariablesOf(const Graph& graph) {
  std::vector<NodeId> variables;
  for (const NodeId id : graph.NodeIds()) {
    if (IsVariableOp(graph.node(id).op())) variables.push_back(id);
  }
  std::sort(variables.begin(), variables.end(), [&](NodeId a, NodeId b) {
    return graph.node(a).name() < graph.node(b).name();
  });
  return variables;
}

// Writes the values of the variables to a checkpoint. Only one value is in
// memory at any time.
absl::Status WriteVariables(const Graph& graph,
                            const std::vector<NodeId>& variables,
                            const std::string& prefix, Session& session) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<TensorName> reads,
                        VariableReads(graph, variables, session));
  LEAT_ASSIGN_OR_RETURN(
      const std::unique_ptr<BundleWriter> writer,
      BundleWriter::Create(FileAccess::Unrestricted(), prefix));
  for (size_t i = 0; i < variables.size(); ++i) {
    LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> value,
                          session.Run({.fetches = {reads[i]}}));
    LEAT_RETURN_IF_ERROR(
        writer->Add(graph.node(variables[i]).name(), value[0]));
  }
  return writer->Finish();
}

absl::Status CopyFile(const std::string& from, const std::string& to) {
  LEAT_ASSIGN_OR_RETURN(
      RegularFile file,
      RegularFile::Open(from, std::numeric_limits<int64_t>::max()));
  LEAT_ASSIGN_OR_RETURN(
      ReplacementFile copy,
      ReplacementFile::Create(FileAccess::Unrestricted(), to));
  std::string piece;
  for (int64_t done = 0; done < file.size();) {
    piece.resize(std::min(kPieceBytes, file.size() - done));
    LEAT_RETURN_IF_ERROR(file.Read(piece.data(), piece.size()));
    LEAT_RETURN_IF_ERROR(copy.Append(piece));
    done += static_cast<int64_t>(piece.size());
  }
  return copy.Commit();
}

// Copies the files and returns the names of the copies. A copy has the name of
// its file, with a number appended if another copy has this name.
absl::StatusOr<std::vector<Asset>> CopyAssets(
    const std::map<std::string, std::string>& assets,
    const ScratchFolder& scratch) {
  const FileAccess files = FileAccess::Unrestricted();
  std::map<std::string, std::string> name_of;  // by file
  std::set<std::string> used;
  std::vector<Asset> copied;
  const std::string folder = scratch.Path(kAssetsFolder);
  if (!assets.empty()) LEAT_RETURN_IF_ERROR(files.MakeFolders(folder));
  for (const auto& [tensor, file] : assets) {
    std::string& name = name_of[file];
    if (name.empty()) {
      const std::string base = std::filesystem::path(file).filename().string();
      name = base;
      for (int i = 1; !used.insert(name).second; ++i) {
        name = absl::StrCat(base, "_", i);
      }
      LEAT_RETURN_IF_ERROR(CopyFile(file, absl::StrCat(folder, "/", name)));
    }
    copied.push_back({.tensor = tensor, .file = name});
  }
  if (!assets.empty()) {
    LEAT_RETURN_IF_ERROR(
        files.SyncFolderOf(absl::StrCat(folder, "/", copied.back().file)));
  }
  return copied;
}

// Sets the signatures, the init op and the assets of `meta`.
absl::Status Declare(const Graph& graph, const SaveSavedModelOptions& options,
                     const std::vector<Asset>& assets, pb::MetaGraphDef& meta) {
  LEAT_ASSIGN_OR_RETURN(const Describer describer, Describer::Create(graph));
  for (const auto& [name, tensors] : options.signatures) {
    Signature signature{.method = tensors.method};
    LEAT_ASSIGN_OR_RETURN(signature.inputs, describer.Describe(tensors.inputs));
    LEAT_ASSIGN_OR_RETURN(signature.outputs,
                          describer.Describe(tensors.outputs));
    (*meta.mutable_signature_def())[name] = EncodeSignature(signature);
  }
  if (options.init_op.has_value()) {
    (*meta.mutable_collection_def())[kMainOpCollection]
        .mutable_node_list()
        ->add_value(options.init_op->text);
  }
  for (const Asset& asset : assets) {
    LEAT_ASSIGN_OR_RETURN(const TensorId id, TensorId::Parse(asset.tensor));
    pb::AssetFileDef& def = *meta.add_asset_file_def();
    def.set_filename(asset.file);
    def.mutable_tensor_info()->set_name(absl::StrCat(id.node, ":", id.index));
    def.mutable_tensor_info()->set_dtype(pb::DT_STRING);
    def.mutable_tensor_info()->mutable_tensor_shape();
  }
  for (const std::string& tag : options.tags) {
    meta.mutable_meta_info_def()->add_tags(tag);
  }
  return absl::OkStatus();
}

// Returns the part of the graph to save.
absl::StatusOr<Graph> PartToSave(const Graph& graph,
                                 const SaveSavedModelOptions& options) {
  if (options.signatures.empty()) {
    return absl::InvalidArgumentError("a model needs a signature");
  }
  LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> roots,
                        FindNodes(graph, NamesOf(options)));
  Graph part = graph;
  KeepNeeded(roots, part);
  LEAT_RETURN_IF_ERROR(CheckFunctionsMakeNoVariable(part));
  if (!options.keep_devices) ClearDevices(part);
  return part;
}

absl::Status Save(const Graph& graph, Session& session,
                  const std::string& folder,
                  const SaveSavedModelOptions& options) {
  LEAT_RETURN_IF_ERROR(CheckUnused(folder));
  LEAT_ASSIGN_OR_RETURN(Graph part, PartToSave(graph, options));
  ScratchFolder scratch(folder);
  const FileAccess files = FileAccess::Unrestricted();
  LEAT_RETURN_IF_ERROR(files.MakeFolders(scratch.Path(kVariablesFolder)));
  LEAT_ASSIGN_OR_RETURN(const std::vector<Asset> assets,
                        CopyAssets(options.assets, scratch));
  // The graph gets the relative paths of the copies, which tell nothing about
  // this machine.
  LEAT_RETURN_IF_ERROR(BindAssets(assets, kAssetsFolder, part));
  pb::SavedModel message;
  message.set_saved_model_schema_version(1);
  pb::MetaGraphDef& meta = *message.add_meta_graphs();
  LEAT_RETURN_IF_ERROR(Declare(part, options, assets, meta));
  const std::vector<NodeId> variables = VariablesOf(part);
  if (!variables.empty()) {
    LEAT_RETURN_IF_ERROR(WriteVariables(
        graph, variables, scratch.Path(kVariablesPrefix), session));
    LEAT_ASSIGN_OR_RETURN(*meta.mutable_saver_def(),
                          AddExportedSaver(variables, part));
  }
  LEAT_RETURN_IF_ERROR(ExportGraphDef(part, *meta.mutable_graph_def()));
  LEAT_RETURN_IF_ERROR(WriteMessage(message, scratch.Path(kSavedModelFile)));
  return scratch.Rename();
}

}  // namespace

absl::Status SaveSavedModel(const Graph& graph, Session& session,
                            const std::string& folder,
                            const SaveSavedModelOptions& options) {
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return Save(graph, session, path, options);
}

}  // namespace leat
