// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LoadSavedModelGraph reads the graph of a SavedModel for a session that the
// caller makes. SavedModel (saved_model.h) makes its session itself.
//
//   LEAT_ASSIGN_OR_RETURN(SavedModelGraph model, LoadSavedModelGraph(folder));
//   LEAT_ASSIGN_OR_RETURN(auto session, NewSession(model.graph));
//   LEAT_RETURN_IF_ERROR(Initialize(model, *session));
#ifndef LEAT_TRAIN_SAVED_MODEL_SAVED_MODEL_GRAPH_H_
#define LEAT_TRAIN_SAVED_MODEL_SAVED_MODEL_GRAPH_H_

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/runtime/session.h"
#include "leat/train/saved_model/signature.h"

namespace leat {

// Says which graph of a SavedModel to load, and how.
struct SavedModelGraphOptions {
  // Holds the tags of the graph.
  std::set<std::string> tags = {"serve"};
  // If true, nodes keep the device requests that they had when the model was
  // saved. It is possible that these devices do not exist here.
  bool keep_devices = false;
  ImportLimits limits = {};
};

// Holds a graph with its signatures, and the names of the ops that must run
// before the graph is used. Is a plain value.
struct SavedModelGraph {
  // The graph has the paths of its assets as constants.
  Graph graph;
  Signatures signatures = {};
  // `restore_op` is the op that restores the variables. A step that runs it
  // must feed `restore_prefix`, the prefix of the checkpoint, to the tensor
  // `restore_prefix_tensor`. All three are empty if there are no variables.
  std::string restore_op = {};
  std::string restore_prefix_tensor = {};
  std::string restore_prefix = {};
  // Is the op to run after the restore, or empty.
  std::string init_op = {};
};

// Returns true if `path` is a folder. Programs that take the path of a graph
// treat a folder as a SavedModel.
bool IsSavedModelFolder(const std::string& path);

// Reads the graph. `ops` must outlive the graph. Trusts nothing in the files.
// All errors name the folder. Returns the errors of ReadSavedModel,
// FindMetaGraph, ImportGraphDef, SignaturesOf, InitOpOf and AssetsOf. Returns
// NOT_FOUND, naming the file, if the graph has variables and there are no
// values for them, or if an asset is missing.
absl::StatusOr<SavedModelGraph> LoadSavedModelGraph(
    const std::string& folder, const SavedModelGraphOptions& options = {},
    const OpRegistry& ops = BuiltinOps());

// Restores the variables and runs the init op. `session` must have the graph.
// The tasks of the session read the files, so each task must find them under
// the same paths as this process. Returns the errors of Session::Run. The
// restore and the init op run in one step each, with the options `options`.
absl::Status Initialize(const SavedModelGraph& model, Session& session,
                        const RunOptions& options = {});

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_SAVED_MODEL_GRAPH_H_
