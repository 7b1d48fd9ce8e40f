// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EndNotices: what a master has still to tell other tasks about what is over:
// steps that have ended, and sessions that were deleted.
//
// A task is told about the end of a step with its next RunGraph, because one
// step mostly follows another and a call takes as long as a small step. If none
// comes soon, one CleanupGraph tells the task about all of its steps.
//
// A task is told at once about the deletion of a session. If it cannot be
// reached but is alive, it would keep the session for ever. So it is told
// again, at growing intervals, until it answers.
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
#include "absl/status/status.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/tasks/task_caller.h"

namespace leat {

// The largest number of ended steps that one message lists, and that a task
// accepts in one message.
inline constexpr size_t kMaxCleanupSteps = 10'000;

// Thread-safe. Owned by a shared_ptr: timers and calls under way keep only weak
// references, so dropping it drops what was not told.
class EndNotices : public std::enable_shared_from_this<EndNotices> {
 public:
  // How long an ended step waits for the next RunGraph, unless said otherwise.
  static constexpr std::chrono::milliseconds kWait{10};
  // How many deletions are remembered. Beyond that, the oldest deletion of the
  // task that has the most is given up: a task that never comes back must not
  // crowd out those that do.
  static constexpr size_t kMaxDeletions = 1000;
  // The time until a deletion is first repeated. It doubles with every try, up
  // to kLongestWait.
  static constexpr std::chrono::milliseconds kFirstWait{100};
  static constexpr std::chrono::minutes kLongestWait{1};

  // `tasks` and `timers` are borrowed and not used after Stop. Ends of steps
  // are not deferred for `own_task`, because a call of it costs nothing. `wait`
  // is how long an ended step waits for the next one.
  EndNotices(std::string own_task, TaskCaller& tasks, TimerQueue& timers,
             std::chrono::nanoseconds wait = kWait)
      : own_task_(std::move(own_task)),
        tasks_(tasks),
        timers_(timers),
        wait_(wait) {}

  // Notes that `task` is to be told that the step has ended. Returns false,
  // noting nothing, if the caller has to tell it: `task` is the own task, or
  // Stop was called. REQUIRES: `task` is a task of Leat.
  bool DeferStep(const std::string& task, int64_t step_id);
  // Removes and returns the newest steps noted for `task`, kMaxCleanupSteps at
  // most. The caller tells the task with a RunGraph; if that call fails it
  // gives them back to DeferStep.
  std::vector<int64_t> TakeSteps(const std::string& task);

  // Repeats the deletion of a session if `status`, the result of
  // DeleteWorkerSession, is UNAVAILABLE or DEADLINE_EXCEEDED, which means that
  // the task may not have heard of it. Does nothing for any other status.
  void RetryDeletion(const std::string& task, const std::string& session,
                     const absl::Status& status);
  // Returns how many deletions are still to be made.
  size_t num_deletions() const;

  // Forgets all that is left, which tasks end together with their sessions, or
  // when their master is gone. No call begins after Stop has returned.
  // Idempotent. Must not be called on the thread of `timers`.
  void Stop();

 private:
  // A deletion that `task` may not have heard of.
  struct Deletion {
    std::string task = {};
    std::string session = {};
    std::chrono::nanoseconds wait = kFirstWait;  // until the next try
  };

  // Sends a CleanupGraph to every task that has steps.
  void SendSteps();
  // Removes the oldest deletion of the task that has the most.
  void ForgetDeletion() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Calls TryDeletion after `wait`.
  void SetTimer(int64_t id, std::chrono::nanoseconds wait)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Calls the task, if the deletion is still to be made.
  void TryDeletion(int64_t id);
  // Removes the deletion, or sets the timer again if `status` is as for
  // RetryDeletion.
  void FinishDeletion(int64_t id, const absl::Status& status);
  // Ends a time in which tasks are called.
  void EndCalling();

  const std::string own_task_;
  TaskCaller& tasks_;
  TimerQueue& timers_;
  const std::chrono::nanoseconds wait_;

  mutable Mutex mutex_;
  CondVar called_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  // How many threads call tasks now. Stop waits for them.
  int num_calling_ ABSL_GUARDED_BY(mutex_) = 0;
  // The ids of the ended steps, by task, and whether SendSteps will be called.
  absl::flat_hash_map<std::string, std::vector<int64_t>> steps_
      ABSL_GUARDED_BY(mutex_);
  bool has_timer_ ABSL_GUARDED_BY(mutex_) = false;
  // By id; the oldest has the smallest.
  std::map<int64_t, Deletion> deletions_ ABSL_GUARDED_BY(mutex_);
  int64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_END_NOTICES_H_
