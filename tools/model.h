// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Model is loaded from a path on a command line. The path names a file with a
// graph, or the folder of a SavedModel. A SavedModel has a signature, and then
// --feed and --fetch give keys of the signature.
//
//   LEAT_ASSIGN_OR_RETURN(const Model model, Model::Load(options));
//   LEAT_ASSIGN_OR_RETURN(std::string tensor, model.FetchedTensor("logits"));
#ifndef LEAT_TOOLS_MODEL_H_
#define LEAT_TOOLS_MODEL_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/train/saved_model/saved_model_graph.h"
#include "leat/train/saved_model/signature.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat {

// Holds the values of the flags that say which model is meant.
struct ModelOptions {
  // Is a file with a GraphDef or MetaGraphDef, or the folder of a SavedModel.
  std::string path = {};
  // Holds the tags of the graph of a SavedModel. Empty stands for "serve".
  std::vector<std::string> tags = {};
  // Is the signature of a SavedModel. Empty stands for serving_default, or for
  // the only one.
  std::string signature = {};
  // The nodes of a graph in a file lose the devices that they were saved with
  // if `clear_devices` is true. The nodes of a SavedModel lose these devices
  // unless `keep_devices` is true.
  bool clear_devices = false;
  bool keep_devices = false;
};

// Adds MODEL and the flags to `app`.
void AddModelFlags(CLI::App& app, ModelOptions& options);

// Loads the graph, whatever its signatures are. Returns the errors of LoadGraph
// and LoadSavedModelGraph. Returns INVALID_ARGUMENT for a flag that only a
// SavedModel may have.
absl::StatusOr<SavedModelGraph> LoadModelGraph(const ModelOptions& options);

// Is immutable and thread-safe.
class Model {
 public:
  // Returns the errors of LoadModelGraph, and NOT_FOUND if there is no such
  // signature.
  static absl::StatusOr<Model> Load(const ModelOptions& options);

  const SavedModelGraph& saved() const { return saved_; }
  const Graph& graph() const { return saved_.graph; }
  bool is_saved_model() const { return signature_.has_value(); }

  // InputKeys returns the names of all inputs of the signature. OutputKeys
  // returns the names of all outputs. Both return an empty list if there is no
  // signature.
  std::vector<std::string> InputKeys() const;
  std::vector<std::string> OutputKeys() const;
  // FedTensor returns the tensor that --feed means by `name`. FetchedTensor
  // returns the tensor that --fetch means by `name`. A key of an input or
  // output stands for its tensor. Names like "node:0" and "^node" stand for
  // themselves. If the model is a file, all names stand for themselves. For a
  // key that does not exist, both functions return INVALID_ARGUMENT with the
  // existing keys.
  absl::StatusOr<std::string> FedTensor(const std::string& name) const;
  absl::StatusOr<std::string> FetchedTensor(const std::string& name) const;

  // If `status` says that a session could not place the graph, returns it with
  // the flag that helps. Returns any other status unchanged.
  static absl::Status WithHint(const absl::Status& status);

 private:
  Model(SavedModelGraph saved, std::optional<Signature> signature)
      : saved_(std::move(saved)), signature_(std::move(signature)) {}

  SavedModelGraph saved_;
  std::optional<Signature> signature_;  // absent if the model is a file
};

}  // namespace leat

#endif  // LEAT_TOOLS_MODEL_H_
