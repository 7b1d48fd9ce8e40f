// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Cleanups: the steps that have ended on a master and that other tasks do not
// know to have ended.
//
// A task is told with its next RunGraph, because one step mostly follows
// another and a call takes as long as a small step. If none comes soon, one
// CleanupGraph tells the task about all of its steps.
#ifndef LEAT_DISTRIBUTED_TASKS_CLEANUPS_H_
#define LEAT_DISTRIBUTED_TASKS_CLEANUPS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/tasks/tasks.h"

namespace leat {

// The largest number of ended steps that one message lists, and that a task
// accepts in one message.
inline constexpr size_t kMaxCleanupSteps = 10'000;

// Thread-safe. Owned by a shared_ptr: its timer keeps only a weak reference, so
// dropping it drops what was not sent.
class Cleanups : public std::enable_shared_from_this<Cleanups> {
 public:
  // How long an ended step waits for the next RunGraph, unless said otherwise.
  static constexpr std::chrono::milliseconds kWait{10};

  // `tasks` and `timers` are borrowed and not used after Stop. Steps of
  // `own_task` are not deferred, because a call of it costs nothing. `wait` is
  // how long a step waits for the next one.
  Cleanups(std::string own_task, Tasks& tasks, TimerQueue& timers,
           std::chrono::nanoseconds wait = kWait)
      : own_task_(std::move(own_task)),
        tasks_(tasks),
        timers_(timers),
        wait_(wait) {}

  // Notes that `task` is to be told that the step has ended. Returns false,
  // noting nothing, if the caller has to tell it: `task` is the own task, or
  // Stop was called. REQUIRES: `task` is a task of Leat.
  bool Defer(const std::string& task, int64_t step_id);

  // Removes and returns the newest steps noted for `task`, kMaxCleanupSteps at
  // most. The caller tells the task with a RunGraph; if that call fails it
  // gives them back to Defer.
  std::vector<int64_t> Take(const std::string& task);

  // Forgets the steps that are left, which tasks end together with their
  // session. No call begins after Stop has returned. Idempotent. Must not be
  // called on the thread of `timers`.
  void Stop();

 private:
  // Sends a CleanupGraph to every task that has steps. Runs on the timers'
  // thread.
  void Flush();

  const std::string own_task_;
  Tasks& tasks_;
  TimerQueue& timers_;
  const std::chrono::nanoseconds wait_;

  Mutex mutex_;
  CondVar idle_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  TimerQueue::Id timer_ ABSL_GUARDED_BY(mutex_) = 0;  // 0 if not set
  bool is_flushing_ ABSL_GUARDED_BY(mutex_) = false;
  // The ids of the steps, by task.
  absl::flat_hash_map<std::string, std::vector<int64_t>> steps_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_CLEANUPS_H_
