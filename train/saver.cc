// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/saver.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "leat/checkpoint/checkpoint_folder.h"
#include "leat/checkpoint/checkpoint_state.h"
#include "leat/core/status_macros.h"
#include "leat/train/saver_nodes.h"

namespace leat {

struct Saver::State {
  // Runs the node `target` for the checkpoint `prefix`.
  absl::Status Run(Session& session, const std::string& target,
                   const std::string& prefix, const RunOptions& options) const {
    return session
        .Run({.feeds = {{nodes.prefix, Tensor::Scalar<std::string>(prefix)}},
              .targets = {target},
              .options = options})
        .status();
  }

  SaverNodes nodes;
  int max_to_keep = 0;
  // The folder of the last save, and the path that was given to it.
  std::string path;
  std::optional<CheckpointFolder> folder;
};

Saver::Saver(GraphBuilder& builder, SaverOptions options,
             SourceLocation location)
    : state_(std::make_unique<State>()) {
  if (options.max_to_keep < 0) {
    builder.Fail(
        absl::InvalidArgumentError(absl::StrCat(
            "a Saver cannot keep ", options.max_to_keep, " checkpoints")),
        location);
  }
  state_->max_to_keep = options.max_to_keep;
  state_->nodes = AddSaverNodes(builder, options, location);
}

Saver::~Saver() = default;
Saver::Saver(Saver&&) noexcept = default;
Saver& Saver::operator=(Saver&&) noexcept = default;

absl::StatusOr<std::string> Saver::Save(Session& session,
                                        const std::string& path,
                                        std::optional<int64_t> step,
                                        const RunOptions& options) {
  if (!state_->folder.has_value() || state_->path != path) {
    state_->folder.reset();  // unlocks it, because it may be the same folder
    LEAT_ASSIGN_OR_RETURN(
        state_->folder,
        CheckpointFolder::Open(FileAccess::Unrestricted(), path));
    state_->path = path;
  }
  const std::string prefix =
      step.has_value() ? absl::StrCat(path, "-", *step) : path;
  LEAT_RETURN_IF_ERROR(
      state_->Run(session, state_->nodes.save, prefix, options));
  LEAT_RETURN_IF_ERROR(
      state_->folder->Add(prefix, state_->max_to_keep, absl::Now()));
  return prefix;
}

absl::Status Saver::Restore(Session& session, const std::string& prefix,
                            const RunOptions& options) const {
  return state_->Run(session, state_->nodes.restore, prefix, options);
}

absl::StatusOr<std::string> Saver::Latest(const std::string& folder) {
  return LatestCheckpoint(FileAccess::Unrestricted(), folder);
}

absl::StatusOr<std::vector<std::string>> Saver::All(const std::string& folder) {
  return CheckpointsToRestore(FileAccess::Unrestricted(), folder);
}

}  // namespace leat
