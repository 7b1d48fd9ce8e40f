// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saved_model/meta_graphs.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/files/file_access.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/message_file.h"
#include "leat/protos/saved_model.pb.h"

namespace leat {
namespace {

// An error names at most this many sets of tags.
constexpr size_t kMaxShownSets = 20;

std::string Quoted(const std::set<std::string>& tags) {
  return absl::StrJoin(tags, ", ", [](std::string* out, const auto& tag) {
    out->append(QuotedText(tag));
  });
}

absl::StatusOr<std::string> FindFile(const std::string& folder) {
  const FileAccess files = FileAccess::Unrestricted();
  for (const char* name : {kSavedModelFile, kSavedModelTextFile}) {
    std::string path = absl::StrCat(folder, "/", name);
    LEAT_ASSIGN_OR_RETURN(const bool exists, files.Exists(path));
    if (exists) return path;
  }
  return absl::NotFoundError(
      absl::StrCat("SavedModel file does not exist at: ", folder,
                   "/{saved_model.pbtxt|saved_model.pb}"));
}

}  // namespace

absl::Status ReadSavedModel(const std::string& folder,
                            pb::SavedModel& message) {
  LEAT_ASSIGN_OR_RETURN(const std::string path, FindFile(folder));
  LEAT_ASSIGN_OR_RETURN(const std::string content, ReadMessageFile(path));
  message.Clear();
  if (IsText(content)) {
    // The text of an object-based model (TensorFlow 2) has fields that are not
    // needed here.
    const std::optional<TextError> error =
        ParseText(content, message, /*skips_unknown=*/true);
    if (!error.has_value()) return absl::OkStatus();
    return FileError(path, absl::StrCat("cannot be parsed: ", error->message));
  }
  if (ParseBinary(content, message)) return absl::OkStatus();
  return FileError(path, "is no SavedModel, or is damaged");
}

std::vector<std::set<std::string>> TagSets(const pb::SavedModel& message) {
  std::vector<std::set<std::string>> sets;
  for (const pb::MetaGraphDef& meta : message.meta_graphs()) {
    const auto& tags = meta.meta_info_def().tags();
    sets.emplace_back(tags.begin(), tags.end());
  }
  return sets;
}

absl::StatusOr<const pb::MetaGraphDef*> FindMetaGraph(
    const pb::SavedModel& message, const std::set<std::string>& tags) {
  std::vector<std::set<std::string>> sets = TagSets(message);
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets[i] == tags) return &message.meta_graphs(static_cast<int>(i));
  }
  const bool is_cut = sets.size() > kMaxShownSets;
  if (is_cut) sets.resize(kMaxShownSets);
  return absl::NotFoundError(absl::StrCat(
      "MetaGraphDef associated with tags ", Quoted(tags),
      " could not be found in SavedModel, with available tags [",
      absl::StrJoin(sets, ", ",
                    [](std::string* out, const std::set<std::string>& set) {
                      absl::StrAppend(out, "{", Quoted(set), "}");
                    }),
      is_cut ? ", ..." : "", "]"));
}

}  // namespace leat
