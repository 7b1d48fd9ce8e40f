// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/checkpoint_state.h"

#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int64_t kMaxStateBytes = int64_t{16} << 20;

// Keeps the first error of the parser.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  const std::string& text() const { return text_; }

 private:
  void AddError(int line, int /*column*/, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat("line ", line + 1, ": ", message);
  }

  std::string text_;
};

// Returns the path that a path in the state file of `folder` stands for. An
// absolute path stays as it is.
std::string Within(const std::string& folder, const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  return PathIn(folder, path);
}

// Does the reverse of Within.
std::string Relative(const std::string& folder, const std::string& path) {
  absl::string_view rest = path;
  const std::string start = PathIn(folder, "");
  if (folder.empty() || !absl::ConsumePrefix(&rest, start) || rest.empty()) {
    return path;
  }
  return std::string(rest);
}

// Replaces each path of the state by `change(path)`.
template <class Change>
void ChangePaths(pb::CheckpointState& state, const Change& change) {
  state.set_model_checkpoint_path(change(state.model_checkpoint_path()));
  for (std::string& path : *state.mutable_all_model_checkpoint_paths()) {
    path = change(path);
  }
}

absl::Status Removed(const absl::Status& status) {
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

}  // namespace

std::string CheckpointStatePath(const std::string& folder) {
  return PathIn(folder, "checkpoint");
}

absl::StatusOr<pb::CheckpointState> ReadCheckpointState(
    const FileAccess& files, const std::string& folder) {
  const std::string path = CheckpointStatePath(folder);
  absl::StatusOr<std::string> text =
      ReadRegularFile(path, kMaxStateBytes, files);
  if (absl::IsResourceExhausted(text.status())) {
    return absl::DataLossError(text.status().message());
  }
  LEAT_RETURN_IF_ERROR(text.status());
  pb::CheckpointState state;
  google::protobuf::TextFormat::Parser parser;
  FirstError error;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(*text, &state)) {
    return absl::DataLossError(absl::StrCat(
        "file '", path, "' does not list checkpoints: ", error.text()));
  }
  ChangePaths(state, [&](const std::string& p) { return Within(folder, p); });
  return state;
}

absl::Status WriteCheckpointState(const FileAccess& files,
                                  const std::string& folder,
                                  pb::CheckpointState state) {
  ChangePaths(state, [&](const std::string& p) { return Relative(folder, p); });
  std::string text;
  google::protobuf::TextFormat::PrintToString(state, &text);
  const std::string path = CheckpointStatePath(folder);
  LEAT_ASSIGN_OR_RETURN(ReplacementFile file,
                        ReplacementFile::Create(files, path));
  LEAT_RETURN_IF_ERROR(file.Append(text));
  LEAT_RETURN_IF_ERROR(file.Commit());
  return files.SyncFolderOf(path);
}

absl::StatusOr<std::string> LatestCheckpoint(const FileAccess& files,
                                             const std::string& folder) {
  LEAT_ASSIGN_OR_RETURN(const pb::CheckpointState state,
                        ReadCheckpointState(files, folder));
  if (!state.model_checkpoint_path().empty()) {
    return state.model_checkpoint_path();
  }
  return absl::NotFoundError(absl::StrCat("file '", CheckpointStatePath(folder),
                                          "' names no checkpoint"));
}

absl::StatusOr<std::vector<std::string>> CheckpointsToRestore(
    const FileAccess& files, const std::string& folder) {
  std::vector<std::string> prefixes;
  const auto state = ReadCheckpointState(files, folder);
  if (absl::IsNotFound(state.status())) return prefixes;
  LEAT_RETURN_IF_ERROR(state.status());
  const std::string& latest = state->model_checkpoint_path();
  if (!latest.empty()) prefixes.push_back(latest);
  for (int i = state->all_model_checkpoint_paths_size() - 1; i >= 0; --i) {
    const std::string& path = state->all_model_checkpoint_paths(i);
    if (path != latest) prefixes.push_back(path);
  }
  return prefixes;
}

absl::Status RemoveCheckpoint(const FileAccess& files,
                              const std::string& prefix) {
  LEAT_RETURN_IF_ERROR(Removed(files.RemoveFile(IndexPath(prefix))));
  LEAT_RETURN_IF_ERROR(Removed(files.RemoveFile(MetaPath(prefix))));
  const std::string folder = FolderOf(prefix);
  const auto names = files.List(folder.empty() ? "." : folder);
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(names.status());
  const std::string data = BaseOf(prefix) + ".data-";
  for (const std::string& name : *names) {
    if (!absl::StartsWith(name, data)) continue;
    LEAT_RETURN_IF_ERROR(Removed(files.RemoveFile(PathIn(folder, name))));
  }
  return absl::OkStatus();
}

}  // namespace leat
