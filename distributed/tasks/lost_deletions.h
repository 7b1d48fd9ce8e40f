// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LostDeletions: repeats the deletion of sessions on tasks that may not have
// heard of it.
//
// A master tells tasks to delete a session. If a task cannot be reached but is
// alive, it would keep the session for ever. So it is told again, at growing
// intervals, until it answers.
#ifndef LEAT_DISTRIBUTED_TASKS_LOST_DELETIONS_H_
#define LEAT_DISTRIBUTED_TASKS_LOST_DELETIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/tasks/tasks.h"

namespace leat {

// Thread-safe. Owned by a shared_ptr: timers and calls under way keep only weak
// references, so dropping it ends the retries.
class LostDeletions : public std::enable_shared_from_this<LostDeletions> {
 public:
  // How many deletions are remembered. Beyond that, the oldest deletion of the
  // task that has the most is given up: a task that never comes back must not
  // crowd out those that do.
  static constexpr size_t kMaxSessions = 1000;
  // The time until the first retry. It doubles with every retry, up to
  // kLongestWait.
  static constexpr std::chrono::milliseconds kFirstWait{100};
  static constexpr std::chrono::minutes kLongestWait{1};

  // Both are borrowed and not used after Stop.
  LostDeletions(Tasks& tasks, TimerQueue& timers)
      : tasks_(tasks), timers_(timers) {}

  // Retries a deletion if `status`, the result of DeleteWorkerSession, is
  // UNAVAILABLE or DEADLINE_EXCEEDED, which means that the task may not have
  // heard of it. Does nothing for any other status.
  void Note(const std::string& task, const std::string& session,
            const absl::Status& status);

  // Gives up all deletions. No call is made after Stop has returned.
  // Idempotent. Must not be called on the thread of `timers`.
  void Stop();

  // Returns how many deletions are still to be made.
  size_t size() const;

 private:
  // A deletion that `task` may not have heard of.
  struct Deletion {
    std::string task = {};
    std::string session = {};
    std::chrono::nanoseconds wait = kFirstWait;  // until the next retry
  };

  // Removes the oldest deletion of the task that has the most.
  void ForgetOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Calls Try after `wait`.
  void SetTimer(int64_t id, std::chrono::nanoseconds wait)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Calls the task, if the deletion is still to be made.
  void Try(int64_t id);
  // Removes the deletion, or sets the timer again if `status` is as for Note.
  void Finish(int64_t id, const absl::Status& status);

  Tasks& tasks_;
  TimerQueue& timers_;

  mutable Mutex mutex_;
  CondVar tried_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  // The calls of Tasks::Call that are under way.
  int num_trying_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  // By id; the oldest has the smallest.
  std::map<int64_t, Deletion> deletions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_LOST_DELETIONS_H_
