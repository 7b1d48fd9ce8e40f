// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/session_checkpoints.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Returns true for an error that makes one checkpoint unusable. An older
// checkpoint may still be usable.
bool IsUnusable(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsNotFound(status);
}

absl::StatusOr<int64_t> FetchStep(Session& session, const std::string& name,
                                  const RunOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched,
                        session.Run({.fetches = {name}, .options = options}));
  if (fetched.size() != 1 || fetched[0].dtype() != DType::kInt64 ||
      fetched[0].num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", name, "' must be the number of steps, an int64 scalar"));
  }
  return fetched[0].data<int64_t>()[0];
}

}  // namespace

SessionCheckpoints::SessionCheckpoints(
    CheckpointOptions options, Clock& clock,
    std::function<void(absl::string_view)> log)
    : options_(std::move(options)),
      clock_(clock),
      log_(std::move(log)),
      due_(clock.After(options_.save_every)) {}

SessionCheckpoints::~SessionCheckpoints() { Wait(); }

absl::StatusOr<std::vector<std::string>> SessionCheckpoints::Find() const {
  return Saver::All(FolderOf(options_.path));
}

absl::StatusOr<bool> SessionCheckpoints::Restore(Session& session,
                                                 const RunOptions& options) {
  BeginSave();  // another thread must not remove a checkpoint meanwhile
  const auto restored = RestoreLatest(session, options);
  EndSave(restored);
  LEAT_RETURN_IF_ERROR(restored.status());
  return !restored->empty();
}

absl::StatusOr<std::string> SessionCheckpoints::RestoreLatest(
    Session& session, const RunOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<std::string> prefixes, Find());
  absl::Status first;
  for (const std::string& prefix : prefixes) {
    const absl::Status status =
        options_.saver->Restore(session, prefix, options);
    if (status.ok()) {
      log_(absl::StrCat("the chief has restored the variables from '", prefix,
                        "'"));
      return prefix;
    }
    if (first.ok()) first = status;
    if (!IsUnusable(status)) return status;
    log_(absl::StrCat("the chief tries an older checkpoint: ",
                      status.message()));
  }
  if (!first.ok()) return first;
  return "";
}

void SessionCheckpoints::BeginSave() {
  MutexLock lock(mutex_);
  while (is_saving_) changed_.Wait(mutex_);
  is_saving_ = true;
}

absl::Status SessionCheckpoints::Save(Session& session,
                                      const RunOptions& options) {
  BeginSave();
  const auto saved = SaveNow(session, options);
  EndSave(saved);
  return saved.status();
}

bool SessionCheckpoints::IsDue() {
  MutexLock lock(mutex_);
  return IsDueLocked();
}

void SessionCheckpoints::SaveIfDue(Session& session) {
  {
    MutexLock lock(mutex_);
    if (!IsDueLocked()) return;
    is_saving_ = true;
  }
  const absl::Status status = SaveOnThread(session);
  if (status.ok()) return;
  LogFailure(status);
  EndSave(status);
}

void SessionCheckpoints::Wait() {
  MutexLock lock(mutex_);
  while (is_saving_) changed_.Wait(mutex_);
}

absl::StatusOr<std::optional<int64_t>> SessionCheckpoints::NewStep(
    Session& session, const RunOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const int64_t step,
                        FetchStep(session, options_.global_step, options));
  MutexLock lock(mutex_);
  if (latest_ == absl::StrCat(options_.path, "-", step)) return std::nullopt;
  return step;
}

absl::StatusOr<std::string> SessionCheckpoints::SaveNow(
    Session& session, const RunOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> step,
                        NewStep(session, options));
  if (!step.has_value()) return "";
  return options_.saver->Save(session, options_.path, *step, options);
}

absl::Status SessionCheckpoints::SaveOnThread(Session& session) {
  const RunOptions options{.timeout = options_.save_timeout};
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> step,
                        NewStep(session, options));
  if (!step.has_value()) {
    EndSave("");
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(
      const Saver::Begun begun,
      options_.saver->Begin(session, options_.path, *step, options));
  return StartThreads([&] {
    Thread writer("leat-save", [this, begun] {
      const auto saved = options_.saver->Finish(begun);
      if (!saved.ok()) LogFailure(saved.status());
      EndSave(saved);
    });
    Thread ended;  // joined after the unlock
    MutexLock lock(mutex_);
    ended = std::exchange(writer_, std::move(writer));
    return absl::OkStatus();
  });
}

void SessionCheckpoints::EndSave(const absl::StatusOr<std::string>& saved) {
  {
    MutexLock lock(mutex_);
    is_saving_ = false;
    due_ = clock_.After(options_.save_every);
    if (saved.ok() && !saved->empty()) latest_ = *saved;
  }
  changed_.NotifyAll();
}

void SessionCheckpoints::LogFailure(const absl::Status& status) {
  log_(absl::StrCat("no checkpoint could be saved: ", status.message()));
}

}  // namespace leat
