// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/checkpoint_folder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/checkpoint_state.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Removes the decimal digits at the start of `text`. Returns false if there are
// none.
bool ConsumeDigits(absl::string_view& text) {
  const size_t size = text.size();
  while (!text.empty() && absl::ascii_isdigit(text.front())) {
    text.remove_prefix(1);
  }
  return text.size() < size;
}

// Returns true if `name` is the name of a temporary file or folder of a save.
// `base` is what the names of the checkpoints begin with. Such names are
// "base-10.index.ID", "base-10.meta.ID", "base-10.data-00000-of-00001.ID"
// (ReplacementFile) and "base-10_temp_ID" (a saver with shards).
bool IsLeftover(absl::string_view name, absl::string_view base) {
  if (!absl::ConsumePrefix(&name, base) || !absl::ConsumePrefix(&name, "-") ||
      !ConsumeDigits(name)) {
    return false;
  }
  if (absl::StartsWith(name, "_temp_")) return true;
  if (absl::ConsumePrefix(&name, ".data-")) {
    if (!ConsumeDigits(name) || !absl::ConsumePrefix(&name, "-of-") ||
        !ConsumeDigits(name)) {
      return false;
    }
  } else if (!absl::ConsumePrefix(&name, ".index") &&
             !absl::ConsumePrefix(&name, ".meta")) {
    return false;
  }
  return absl::ConsumePrefix(&name, ".") && ConsumeDigits(name) && name.empty();
}

// Removes a file, or a folder of files. Ignores errors. If the path is a
// symbolic link, removes the link itself.
void RemoveAll(const FileAccess& files, const std::string& path) {
  if (files.RemoveFile(path).ok()) return;
  const auto names = files.List(path);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    files.RemoveFile(absl::StrCat(path, "/", name)).IgnoreError();
  }
  files.RemoveFolder(path).IgnoreError();
}

// Returns true for the prefix of a checkpoint "PATH-STEP".
bool IsCheckpointOf(absl::string_view prefix, absl::string_view path) {
  return absl::ConsumePrefix(&prefix, path) &&
         absl::ConsumePrefix(&prefix, "-") && ConsumeDigits(prefix) &&
         prefix.empty();
}

}  // namespace

CheckpointFolder::CheckpointFolder(const FileAccess& files, std::string path,
                                   FileDescriptor lock)
    : files_(files),
      path_(std::move(path)),
      folder_(FolderOf(path_)),
      lock_(std::move(lock)) {}

absl::StatusOr<CheckpointFolder> CheckpointFolder::Open(
    const FileAccess& files, const std::string& path) {
  LEAT_RETURN_IF_ERROR(MakeFolderOf(files, path));
  const std::string folder = FolderOf(path);
  LEAT_ASSIGN_OR_RETURN(FileDescriptor lock,
                        files.LockFolder(folder.empty() ? "." : folder));
  CheckpointFolder result(files, PathIn(folder, BaseOf(path)), std::move(lock));
  auto state = ReadCheckpointState(files, folder);
  if (!state.ok() && !absl::IsNotFound(state.status())) return state.status();
  for (int i = 0; state.ok() && i < state->all_model_checkpoint_paths_size();
       ++i) {
    const std::string& prefix = state->all_model_checkpoint_paths(i);
    if (!IsCheckpointOf(prefix, result.path_)) continue;
    result.state_.add_all_model_checkpoint_paths(prefix);
    result.state_.add_all_model_checkpoint_timestamps(
        i < state->all_model_checkpoint_timestamps_size()
            ? state->all_model_checkpoint_timestamps(i)
            : 0);
  }
  result.RemoveLeftovers();
  return result;
}

void CheckpointFolder::RemoveLeftovers() const {
  const auto names = files_.List(folder_.empty() ? "." : folder_);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!IsLeftover(name, BaseOf(path_))) continue;
    RemoveAll(files_, PathIn(folder_, name));
  }
}

absl::Status CheckpointFolder::Add(const std::string& saved, int max_to_keep,
                                   absl::Time now) {
  // The caller may have written "folder//name". The list always has the same
  // path for the same checkpoint.
  const std::string prefix = PathIn(folder_, BaseOf(saved));
  pb::CheckpointState state;
  std::vector<std::string> removed;
  // Holds the positions, in the old list, of the checkpoints that stay.
  std::vector<int> stay;
  for (int i = 0; i < state_.all_model_checkpoint_paths_size(); ++i) {
    if (state_.all_model_checkpoint_paths(i) != prefix) stay.push_back(i);
  }
  const size_t too_many =
      max_to_keep <= 0 || stay.size() < static_cast<size_t>(max_to_keep)
          ? 0
          : stay.size() + 1 - static_cast<size_t>(max_to_keep);
  for (size_t i = 0; i < stay.size(); ++i) {
    const std::string& path = state_.all_model_checkpoint_paths(stay[i]);
    if (i < too_many) {
      removed.push_back(path);
      continue;
    }
    state.add_all_model_checkpoint_paths(path);
    state.add_all_model_checkpoint_timestamps(
        state_.all_model_checkpoint_timestamps(stay[i]));
  }
  state.set_model_checkpoint_path(prefix);
  state.add_all_model_checkpoint_paths(prefix);
  state.add_all_model_checkpoint_timestamps(
      absl::ToDoubleSeconds(now - absl::UnixEpoch()));
  // The list is written before files are removed, so that all listed
  // checkpoints exist at any time.
  LEAT_RETURN_IF_ERROR(WriteCheckpointState(files_, folder_, state));
  state_ = std::move(state);
  for (const std::string& path : removed) {
    RemoveCheckpoint(files_, path).IgnoreError();
  }
  return absl::OkStatus();
}

}  // namespace leat
