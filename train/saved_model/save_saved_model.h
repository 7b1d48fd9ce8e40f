// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SaveSavedModel writes a trained model to a folder that TensorFlow, its
// serving programs and SavedModel (saved_model.h) load.
//
//   LEAT_RETURN_IF_ERROR(SaveSavedModel(
//       graph, *session, "/models/mnist/1",
//       {.signatures = {{"serving_default", {.inputs = {{"x", images}},
//                                            .outputs = {{"y", logits}}}}}}));
#ifndef LEAT_TRAIN_SAVED_MODEL_SAVE_SAVED_MODEL_H_
#define LEAT_TRAIN_SAVED_MODEL_SAVE_SAVED_MODEL_H_

#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"

namespace leat {

// Holds the inputs and outputs of a signature: tensors of the graph, by key.
struct SignatureTensors {
  std::map<std::string, TensorName> inputs = {};
  std::map<std::string, TensorName> outputs = {};
  std::string method = "tensorflow/serving/predict";
};

// Says what to save.
struct SaveSavedModelOptions {
  // Holds the signatures, by name. Programs that ask for no name run
  // "serving_default".
  std::map<std::string, SignatureTensors> signatures = {};
  std::set<std::string> tags = {"serve"};
  // Is an op that programs run after they have restored the variables.
  std::optional<TensorName> init_op = {};
  // Maps string constants or placeholders of the graph to files. The model gets
  // copies of the files. In the loaded model, these tensors have the paths of
  // the copies.
  std::map<std::string, std::string> assets = {};
  // If true, nodes keep the device requests that they had in training.
  bool keep_devices = false;
};

// Saves the part of `graph` that the signatures and the init op need, with the
// values that its variables have in `session`. The variables are read one after
// another, so no step should change them meanwhile. `session` must meet the
// requirements of FreezeVariables (freeze.h).
//
// The folder is complete or does not exist, even after a crash: everything is
// written to a folder of another name, which is renamed when its contents are
// on the disk.
//
// Returns ALREADY_EXISTS if `folder` exists and is not empty, or if it is a
// file. Returns NOT_FOUND for a tensor that is not in the graph and for an
// asset that does not exist. Returns INVALID_ARGUMENT if an asset is not a
// string, if a function makes a variable (the error names both), or if there is
// no signature. Returns the errors of Session::Run and of files. After a
// failure there is no model, but parent folders of `folder` may have been made.
// If the machine crashes meanwhile, a folder "FOLDER.ID" may be left behind.
absl::Status SaveSavedModel(const Graph& graph, Session& session,
                            const std::string& folder,
                            const SaveSavedModelOptions& options);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_SAVE_SAVED_MODEL_H_
