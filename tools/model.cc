// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/model.h"

#include <map>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/clear_devices.h"
#include "leat/graph/io/graph_file.h"

namespace leat {
namespace {

using Tensors = std::map<std::string, SignatureTensor>;

std::vector<std::string> KeysOf(const Tensors& tensors) {
  std::vector<std::string> keys;
  for (const auto& [key, tensor] : tensors) keys.push_back(key);
  return keys;
}

// Returns the tensor that the command line means by `name`. `what` is "input"
// or "output".
absl::StatusOr<std::string> TensorOf(const Tensors& tensors,
                                     absl::string_view what,
                                     const std::string& name) {
  const bool is_tensor =
      absl::StrContains(name, ':') || absl::StartsWith(name, "^");
  if (is_tensor && !tensors.contains(name)) return name;
  LEAT_ASSIGN_OR_RETURN(const TensorName tensor,
                        FindTensor(tensors, what, name));
  return tensor.text;
}

// Returns the signature that the flag --signature names. If `name` is "",
// returns the only signature or, if there are several, the default one. If
// `name` is "" and there are no signatures, returns a signature without keys.
absl::StatusOr<Signature> ChooseSignature(const Signatures& signatures,
                                          const std::string& name) {
  if (name.empty()) {
    if (signatures.empty()) return Signature();
    if (signatures.size() == 1) return signatures.begin()->second;
  }
  LEAT_ASSIGN_OR_RETURN(
      const Signature* found,
      FindSignature(signatures, name.empty() ? kDefaultSignature : name));
  return *found;
}

}  // namespace

void AddModelFlags(CLI::App& app, ModelOptions& options) {
  app.add_option("MODEL", options.path,
                 "GraphDef or MetaGraphDef, binary or text, or the folder of a "
                 "SavedModel")
      ->required();
  app.add_option("--tag", options.tags,
                 "Tag of the SavedModel's graph, if not serve (repeatable)");
  app.add_option("--signature", options.signature,
                 "Signature of the SavedModel; --feed and --fetch give keys of "
                 "this signature [serving_default, or the only one]");
  CLI::Option* clear =
      app.add_flag("--clear-devices", options.clear_devices,
                   "Ignore the devices that nodes of a file ask for, which is "
                   "the default for nodes of a SavedModel");
  app.add_flag("--keep-devices", options.keep_devices,
               "Place nodes of a SavedModel on the devices that they ask for")
      ->excludes(clear);
}

absl::StatusOr<SavedModelGraph> LoadModelGraph(const ModelOptions& options) {
  if (IsSavedModelFolder(options.path)) {
    SavedModelGraphOptions load{.keep_devices = options.keep_devices};
    if (!options.tags.empty()) {
      load.tags = {options.tags.begin(), options.tags.end()};
    }
    return LoadSavedModelGraph(options.path, load);
  }
  if (!options.tags.empty() || !options.signature.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tag and --signature are for folders of SavedModels, and '",
        options.path, "' is none"));
  }
  LEAT_ASSIGN_OR_RETURN(Graph graph, LoadGraph(options.path, BuiltinOps()));
  if (options.clear_devices) ClearDevices(graph);
  return SavedModelGraph{.graph = std::move(graph)};
}

absl::StatusOr<Model> Model::Load(const ModelOptions& options) {
  LEAT_ASSIGN_OR_RETURN(SavedModelGraph saved, LoadModelGraph(options));
  if (!IsSavedModelFolder(options.path)) {
    return Model(std::move(saved), std::nullopt);
  }
  LEAT_ASSIGN_OR_RETURN(Signature signature,
                        ChooseSignature(saved.signatures, options.signature));
  return Model(std::move(saved), std::move(signature));
}

std::vector<std::string> Model::InputKeys() const {
  return signature_ ? KeysOf(signature_->inputs) : std::vector<std::string>();
}

std::vector<std::string> Model::OutputKeys() const {
  return signature_ ? KeysOf(signature_->outputs) : std::vector<std::string>();
}

absl::StatusOr<std::string> Model::FedTensor(const std::string& name) const {
  return signature_ ? TensorOf(signature_->inputs, "input", name) : name;
}

absl::StatusOr<std::string> Model::FetchedTensor(
    const std::string& name) const {
  return signature_ ? TensorOf(signature_->outputs, "output", name) : name;
}

absl::Status Model::WithHint(const absl::Status& status) {
  if (!absl::StrContains(status.message(), "Cannot assign a device")) {
    return status;
  }
  return absl::Status(
      status.code(),
      absl::StrCat(status.message(),
                   "; the nodes of a file need not get the devices that they "
                   "ask for (--clear-devices), nor those of a SavedModel (no "
                   "--keep-devices), and there may be more (--devices cpu:N)"));
}

}  // namespace leat
