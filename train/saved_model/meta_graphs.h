// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the message of a SavedModel, and finds in it the graph with some tags.
// Stateless, thread-safe. Trusts nothing in the file.
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

// The names of what is in the folder of a SavedModel.
inline constexpr char kSavedModelFile[] = "saved_model.pb";
inline constexpr char kSavedModelTextFile[] = "saved_model.pbtxt";
inline constexpr char kVariablesFolder[] = "variables";
inline constexpr char kVariablesPrefix[] = "variables/variables";
inline constexpr char kAssetsFolder[] = "assets";

// Reads saved_model.pb in `folder`, or saved_model.pbtxt if there is no other.
// Returns NOT_FOUND, in TensorFlow's words, if there is none of both. Returns
// INVALID_ARGUMENT, naming the file, if it is damaged. Also returns the errors
// of ReadMessageFile (graph/io/message_file.h).
absl::Status ReadSavedModel(const std::string& folder, pb::SavedModel& message);

// Returns the tags of each graph, sorted.
std::vector<std::set<std::string>> TagSets(const pb::SavedModel& message);

// Returns the first graph that has these tags and no others. Returns NOT_FOUND,
// with the tags that there are, if there is none.
absl::StatusOr<const pb::MetaGraphDef*> FindMetaGraph(
    const pb::SavedModel& message, const std::set<std::string>& tags);

}  // namespace leat

#endif  // LEAT_TRAIN_SAVED_MODEL_META_GRAPHS_H_
