// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionCheckpoints saves and restores the variables of a RecoverableSession
// (recoverable_session.h).
//
//   SessionCheckpoints checkpoints({.path = "/models/mnist/model.ckpt",
//                                   .saver = std::make_shared<Saver>(b),
//                                   .global_step = "global_step"},
//                                  RealClock(), [](absl::string_view) {});
//   LEAT_ASSIGN_OR_RETURN(const bool is_restored,
//                         checkpoints.Restore(*session, {}));
//   if (!is_restored) {
//     LEAT_RETURN_IF_ERROR(session->Run({.targets = {"init"}}).status());
//   }
//   for (int i = 0; i < 1000; ++i) {
//     LEAT_RETURN_IF_ERROR(session->Run({.targets = {"train"}}).status());
//     checkpoints.SaveIfDue(*session);
//   }
#ifndef LEAT_TRAIN_SESSION_CHECKPOINTS_H_
#define LEAT_TRAIN_SESSION_CHECKPOINTS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/runtime/session.h"
#include "leat/train/saver.h"

namespace leat {

// Says where the checkpoints of a training are, and how often they are saved.
// All tasks of a training have the same `path`. Only the chief needs the other
// options, because only the chief saves and restores.
struct CheckpointOptions {
  // Is the beginning of the names of checkpoints, which are "PATH-STEP". If it
  // is empty, there are no checkpoints.
  std::string path = {};
  // Saves and restores the variables. Nobody else may use the Saver meanwhile.
  std::shared_ptr<Saver> saver = {};
  // Is the tensor that holds the number of steps that the training has done. It
  // is an int64 scalar.
  std::string global_step = {};
  // Is the time after which the next checkpoint is due. The first step that
  // ends after this time, counted from the last save, causes a save.
  std::chrono::nanoseconds save_every = std::chrono::minutes(10);
  // Limits the time that SaveIfDue waits until the variables are read, and the
  // time that its thread waits until they are written.
  std::chrono::nanoseconds save_timeout = std::chrono::minutes(10);
};

// Is thread-safe. Owns the thread that waits until a checkpoint is written.
class SessionCheckpoints {
 public:
  // `log` is called with a sentence about each checkpoint that is restored or
  // cannot be used. Borrows `clock`.
  SessionCheckpoints(CheckpointOptions options, Clock& clock,
                     std::function<void(absl::string_view)> log);
  // Calls Wait.
  ~SessionCheckpoints();

  // Returns true if the training has checkpoints, even if none exists yet.
  bool are_kept() const { return !options_.path.empty(); }
  // Returns true if this task saves and restores checkpoints.
  bool has_saver() const { return options_.saver != nullptr; }
  // Returns the prefixes of the checkpoints that exist, the latest one first.
  absl::StatusOr<std::vector<std::string>> Find() const;

  // Restores the latest checkpoint. If it is damaged or its files are missing,
  // logs a message and restores an older one. Returns false if there is no
  // checkpoint. If no checkpoint can be used, returns the error of the latest
  // one. Waits until no thread saves. REQUIRES: has_saver().
  absl::StatusOr<bool> Restore(Session& session, const RunOptions& options);

  // Waits until no other thread saves, and then saves a checkpoint. Does
  // nothing if the latest checkpoint that was saved or restored is of the same
  // step. REQUIRES: has_saver().
  absl::Status Save(Session& session, const RunOptions& options = {});
  // Returns true if this task has a saver, a checkpoint is due and no thread
  // saves.
  bool IsDue();
  // Saves a checkpoint if one is due. Returns when the variables have been
  // read, and lets a thread wait until they are written. Logs an error, and
  // tries again when `save_every` has passed.
  void SaveIfDue(Session& session);
  // Waits until no thread saves.
  void Wait();

 private:
  bool IsDueLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return has_saver() && !is_saving_ && clock_.Now() >= due_;
  }
  // Returns the global step of the session, or nothing if the latest checkpoint
  // is of the same step.
  absl::StatusOr<std::optional<int64_t>> NewStep(Session& session,
                                                 const RunOptions& options);
  // Waits until no thread saves, and then sets is_saving_.
  void BeginSave();
  // Returns the prefix of the checkpoint that was restored, or "" if there is
  // none. REQUIRES: is_saving_, which this thread has set.
  absl::StatusOr<std::string> RestoreLatest(Session& session,
                                            const RunOptions& options);
  // SaveNow saves a checkpoint and returns its prefix. SaveOnThread begins to
  // save a checkpoint, and lets the thread `writer_` finish it. REQUIRES:
  // is_saving_, which this thread has set.
  absl::StatusOr<std::string> SaveNow(Session& session,
                                      const RunOptions& options);
  absl::Status SaveOnThread(Session& session);
  // Clears `is_saving_`. `saved` is the prefix of the checkpoint that was saved
  // or restored, or "" if there was none.
  void EndSave(const absl::StatusOr<std::string>& saved);
  void LogFailure(const absl::Status& status);

  const CheckpointOptions options_;
  Clock& clock_;
  const std::function<void(absl::string_view)> log_;

  Mutex mutex_;
  CondVar changed_;
  bool is_saving_ ABSL_GUARDED_BY(mutex_) = false;
  // Is the time at which the next checkpoint becomes due.
  Clock::time_point due_ ABSL_GUARDED_BY(mutex_);
  // Is the prefix of the checkpoint that was saved or restored last.
  std::string latest_ ABSL_GUARDED_BY(mutex_);
  Thread writer_ ABSL_GUARDED_BY(mutex_);  // of the last save
};

}  // namespace leat

#endif  // LEAT_TRAIN_SESSION_CHECKPOINTS_H_
