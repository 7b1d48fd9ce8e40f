// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SavedModel runs a model that TensorFlow or SaveSavedModel has saved: a folder
// with a graph, the values of its variables, its assets, and signatures.
//
//   LEAT_ASSIGN_OR_RETURN(std::unique_ptr<SavedModel> model,
//                         SavedModel::Load("/models/mnist/1"));
//   LEAT_ASSIGN_OR_RETURN(auto results,
//                         model->Run("serving_default", {{"x", value}}));
//   const Tensor probabilities = results.at("y");
//
// A graph can read and write all files that the process can read and write.
// Load an untrusted model only in a process with restricted rights.
#ifndef LEAT_TRAIN_SAVED_MODEL_SAVED_MODEL_H_
#define LEAT_TRAIN_SAVED_MODEL_SAVED_MODEL_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/train/saved_model/saved_model_graph.h"
#include "leat/train/saved_model/signature.h"
#include "leat/train/session.h"

namespace leat {

// Says which graph of a SavedModel to load, and where it runs.
struct SavedModelOptions {
  SavedModelGraphOptions graph = {};
  SessionOptions session = {};
};

// Is thread-safe.
class SavedModel {
 public:
  // Loads the graph, restores its variables and initializes it. Returns the
  // errors of LoadSavedModelGraph, NewSession and Initialize. All errors name
  // the folder.
  static absl::StatusOr<std::unique_ptr<SavedModel>> Load(
      const std::string& folder, const SavedModelOptions& options = {});

  const Signatures& signatures() const { return model_.signatures; }
  const Graph& graph() const { return model_.graph; }
  // Returns the session that has the variables. Use it to run tensors and ops
  // that no signature offers.
  Session& session() const { return *session_; }

  // Runs a signature. `inputs` has a tensor for each input of the signature, by
  // key. The result has a tensor for each output. Returns NOT_FOUND for an
  // unknown signature, INVALID_ARGUMENT for a missing or unknown input,
  // UNIMPLEMENTED if the signature has sparse tensors, and otherwise the errors
  // of Session::Run.
  absl::StatusOr<std::map<std::string, Tensor>> Run(
      absl::string_view signature, const std::map<std::string, Tensor>& inputs,
      const RunOptions& options = {}) const;

 private:
  SavedModel(SavedModelGraph model, std::shared_ptr<Session> session)
      : model_(std::move(model)), session_(std::move(session)) {}

  const SavedModelGraph model_;
  const std::shared_ptr<Session> session_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_SAVED_MODEL_H_
