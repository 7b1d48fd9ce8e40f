// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EndNotices tells other tasks, on behalf of a master, which steps have ended
// and which sessions were deleted.
//
// The notice of a step's end goes to a task with the next RunGraph. The next
// step usually comes soon, and a separate call would take as long as a small
// step. If no RunGraph comes soon, one CleanupGraph tells the task about all of
// its ended steps.
//
// When a session is deleted, EndNotices tells the tasks of the session
// immediately. A task that is alive but cannot be reached would keep the
// session for ever. So EndNotices repeats the message, at growing intervals,
// until the task answers.
#ifndef LEAT_DISTRIBUTED_TASKS_END_NOTICES_H_
#define LEAT_DISTRIBUTED_TASKS_END_NOTICES_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/intervals.h"
#include "leat/distributed/tasks/task_caller.h"

namespace leat {

// Limits the number of ended steps in one message. A task refuses a message
// with more steps.
inline constexpr size_t kMaxCleanupSteps = 10'000;

// Is thread-safe. Is owned by a shared_ptr. DeleteSession shares the ownership
// until `done` is called. Timers and all other calls keep only weak references,
// so notices that were not sent are lost when the last owner is gone.
class EndNotices : public std::enable_shared_from_this<EndNotices> {
 public:
  // Limits the number of deletions that are remembered. If there are more,
  // EndNotices forgets the oldest deletion of the task that has the most
  // deletions. So a task that never comes back does not push out the deletions
  // of other tasks.
  static constexpr size_t kMaxDeletions = 1000;

  // `tasks` and `timers` are borrowed and not used after Stop. Ends of steps
  // are not deferred for `own_task`, because calling it costs nothing. `wait`
  // is how long an ended step waits for the next RunGraph. `retries` are the
  // pauses between attempts to delete a session.
  EndNotices(std::string own_task, TaskCaller& tasks, TimerQueue& timers,
             std::chrono::nanoseconds wait = ServerIntervals().step_notice,
             IntervalRange retries = ServerIntervals().deletion)
      : own_task_(std::move(own_task)),
        tasks_(tasks),
        timers_(timers),
        wait_(wait),
        retries_(retries) {}

  // Notes the end of the step, to tell `task` about it later. Returns false and
  // notes nothing if `task` is `own_task` or Stop was called. The caller then
  // has to tell the task itself. REQUIRES: `task` is a task of Leat.
  bool DeferStep(const std::string& task, int64_t step_id);
  // Removes and returns the newest steps noted for `task`, but at most
  // kMaxCleanupSteps of them. The caller tells the task about these steps with
  // a RunGraph. If that call fails, the caller gives the steps back with
  // DeferStep.
  std::vector<int64_t> TakeSteps(const std::string& task);

  // Deletes the session on `tasks`. `done` is called when every task has
  // answered or its time is up. A task that has not confirmed the deletion is
  // told again later. REQUIRES: Stop was not called.
  void DeleteSession(const std::vector<std::string>& tasks,
                     const std::string& session,
                     absl::AnyInvocable<void() &&> done);

  // Forgets all notices that are left. A task then ends these steps when it
  // ends their session, and ends the session when it notices that the master is
  // gone. No call begins after Stop has returned. Is idempotent. Must not be
  // called on the thread of `timers`.
  void Stop();

 private:
  // Describes the deletion of a session that `task` has not confirmed yet.
  struct Deletion {
    std::string task = {};
    std::string session = {};
    std::chrono::nanoseconds wait = {};  // until the next try
  };

  // Sends a CleanupGraph to every task that has steps.
  void SendSteps();
  // Adds an entry to `deletions_`, so that `task` is asked later again to
  // delete `session`.
  void RetryDeletion(const std::string& task, const std::string& session);
  // Removes the oldest entry of `deletions_` that belongs to the task with the
  // most entries.
  void ForgetDeletion() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Calls TryDeletion after `wait`.
  void SetTimer(int64_t id, std::chrono::nanoseconds wait)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Asks the task again to delete the session. Does nothing if entry `id` is no
  // longer in `deletions_`.
  void TryDeletion(int64_t id);
  // Handles the task's answer to TryDeletion. If `status` shows that the task
  // has perhaps not deleted the session, sets the timer again. Otherwise
  // removes entry `id` from `deletions_`.
  void FinishDeletion(int64_t id, const absl::Status& status);
  // Is called when a thread has finished calling tasks. Wakes Stop.
  void EndCalling();

  const std::string own_task_;
  TaskCaller& tasks_;
  TimerQueue& timers_;
  const std::chrono::nanoseconds wait_;
  const IntervalRange retries_;

  Mutex mutex_;
  CondVar called_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  // Is the number of threads that are calling tasks now. Stop waits for them.
  int num_calling_ ABSL_GUARDED_BY(mutex_) = 0;
  // `steps_` has the ids of the ended steps, by task. `has_timer_` is true if a
  // timer will call SendSteps.
  absl::flat_hash_map<std::string, std::vector<int64_t>> steps_
      ABSL_GUARDED_BY(mutex_);
  bool has_timer_ ABSL_GUARDED_BY(mutex_) = false;
  // Maps ids to the deletions that tasks have not confirmed yet. The oldest
  // deletion has the smallest id.
  std::map<int64_t, Deletion> deletions_ ABSL_GUARDED_BY(mutex_);
  int64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_END_NOTICES_H_
