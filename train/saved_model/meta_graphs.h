// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions read the message of a SavedModel, and find the graph with
// given tags in it. They are stateless and thread-safe. They trust nothing in
// the file.
//
//   pb::SavedModel message;
//   LEAT_RETURN_IF_ERROR(ReadSavedModel(folder, message));
//   LEAT_ASSIGN_OR_RETURN(const pb::MetaGraphDef* meta,
//                         FindMetaGraph(message, {"serve"}));
#ifndef LEAT_TRAIN_SAVED_MODEL_META_GRAPHS_H_
#define LEAT_TRAIN_SAVED_MODEL_META_GRAPHS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace leat::pb {
class MetaGraphDef;
class SavedModel;
}  // namespace leat::pb

namespace leat {

// These are the names of the files and folders of a SavedModel.
inline constexpr char kSavedModelFile[] = "saved_model.pb";
inline constexpr char kSavedModelTextFile[] = "saved_model.pbtxt";
inline constexpr char kVariablesFolder[] = "variables";
inline constexpr char kVariablesPrefix[] = "variables/variables";
inline constexpr char kAssetsFolder[] = "assets";

// Reads saved_model.pb in `folder`, or saved_model.pbtxt if the former does not
// exist. Returns NOT_FOUND, in TensorFlow's words, if neither exists. Returns
// INVALID_ARGUMENT, naming the file, if it is damaged. Also returns the errors
// of ReadMessageFile (graph/io/message_file.h).
absl::Status ReadSavedModel(const std::string& folder, pb::SavedModel& message);

// Returns the set of tags of each graph, in the order of the graphs.
std::vector<std::set<std::string>> TagSets(const pb::SavedModel& message);

// Returns the first graph that has these tags and no others. If there is none,
// returns NOT_FOUND with the tags of all graphs.
absl::StatusOr<const pb::MetaGraphDef*> FindMetaGraph(
    const pb::SavedModel& message, const std::set<std::string>& tags);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_META_GRAPHS_H_
