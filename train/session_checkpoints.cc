// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/session_checkpoints.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Returns true for errors of a checkpoint that another checkpoint may not have.
bool IsUnusable(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsNotFound(status);
}

// Returns the folder in which the checkpoints "PATH-STEP" are.
std::string FolderOfCheckpoints(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

absl::StatusOr<int64_t> FetchStep(Session& session, const std::string& name) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched,
                        session.Run({.fetches = {name}}));
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

absl::StatusOr<std::vector<std::string>> SessionCheckpoints::Find() const {
  return Saver::All(FolderOfCheckpoints(options_.path));
}

absl::StatusOr<bool> SessionCheckpoints::Restore(Session& session,
                                                 const RunOptions& options) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<std::string> prefixes, Find());
  absl::Status first;
  for (const std::string& prefix : prefixes) {
    const absl::Status status =
        options_.saver->Restore(session, prefix, options);
    if (status.ok()) {
      log_(absl::StrCat("the chief has restored the variables from '", prefix,
                        "'"));
      MutexLock lock(mutex_);
      latest_ = prefix;
      due_ = clock_.After(options_.save_every);
      return true;
    }
    if (first.ok()) first = status;
    if (!IsUnusable(status)) return status;
    log_(absl::StrCat("the checkpoint '", prefix,
                      "' cannot be restored: ", status.message()));
  }
  if (!first.ok()) return first;
  return false;
}

absl::Status SessionCheckpoints::Save(Session& session) {
  {
    MutexLock lock(mutex_);
    while (is_saving_) changed_.Wait(mutex_);
    is_saving_ = true;
  }
  return SaveNow(session);
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
  const absl::Status status = SaveNow(session);
  if (!status.ok()) {
    log_(absl::StrCat("no checkpoint could be saved: ", status.message()));
  }
}

absl::Status SessionCheckpoints::SaveNow(Session& session) {
  absl::Status status;
  std::string saved;
  const auto step = FetchStep(session, options_.global_step);
  if (!step.ok()) {
    status = step.status();
  } else {
    const std::string prefix = absl::StrCat(options_.path, "-", *step);
    bool is_new = false;
    {
      MutexLock lock(mutex_);
      is_new = prefix != latest_;
    }
    if (is_new) {
      status = options_.saver->Save(session, options_.path, *step).status();
    }
    if (status.ok()) saved = prefix;
  }
  {
    MutexLock lock(mutex_);
    is_saving_ = false;
    due_ = clock_.After(options_.save_every);
    if (!saved.empty()) latest_ = saved;
  }
  changed_.NotifyAll();
  return status;
}

}  // namespace leat
