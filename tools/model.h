// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Model is what the path of a model on a command line stands for. It is a graph
// in a file, or a SavedModel in a folder. A SavedModel has a signature, and
// then --feed and --fetch give its keys.
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
  // Nodes go on asking for the devices that they were saved with if they are of
  // a file and `clear_devices` is false, or of a SavedModel and `keep_devices`
  // is true.
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

  // Return the names of all inputs and outputs of the signature, which are none
  // if there is no signature.
  std::vector<std::string> InputKeys() const;
  std::vector<std::string> OutputKeys() const;
  // Return the name of the tensor that --feed and --fetch mean by `name`: the
  // key of an input or output. Names like "node:0" and "^node", and all names
  // if the model is a file, stand for themselves. Return INVALID_ARGUMENT, with
  // the keys that there are, for a key that does not exist.
  absl::StatusOr<std::string> FedTensor(const std::string& name) const;
  absl::StatusOr<std::string> FetchedTensor(const std::string& name) const;

  // Returns the error of a session that could not place the graph, with the
  // flag that helps. Returns other errors as they are.
  static absl::Status WithHint(const absl::Status& status);

 private:
  Model(SavedModelGraph saved, std::optional<Signature> signature)
      : saved_(std::move(saved)), signature_(std::move(signature)) {}

  SavedModelGraph saved_;
  std::optional<Signature> signature_;  // absent if the model is a file
};

}  // namespace leat

#endif  // LEAT_TOOLS_MODEL_H_
