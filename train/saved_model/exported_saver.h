// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddExportedSaver adds nodes to a graph that save and restore its variables.
// Programs of TensorFlow and LoadSavedModelGraph use these nodes. The function
// is stateless and thread-safe.
#ifndef LEAT_TRAIN_SAVED_MODEL_EXPORTED_SAVER_H_
#define LEAT_TRAIN_SAVED_MODEL_EXPORTED_SAVER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"

namespace leat::pb {
class SaverDef;
}  // namespace leat::pb

namespace leat {

// Adds nodes that save the variables in a checkpoint and restore them from it.
// The name of a variable in the checkpoint is the name of its node. The new
// nodes have the names that TensorFlow's Saver gives them: "save/restore_all"
// and so on, or "save_1/restore_all" if the graph has nodes of a Saver. Returns
// a message with the names of these nodes. REQUIRES: `variables` are variables
// of the graph (IsVariableOp).
absl::StatusOr<pb::SaverDef> AddExportedSaver(
    const std::vector<NodeId>& variables, Graph& graph);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_EXPORTED_SAVER_H_
