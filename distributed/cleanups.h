// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Cleanups: steps that have ended and that other tasks have still to forget.
// They are told with the next RunGraph to the task, since one step mostly
// follows another and a call takes as long as a small step, and else a little
// later by a CleanupGraph for all of a task. Thread-safe.
#ifndef LEAT_DISTRIBUTED_CLEANUPS_H_
#define LEAT_DISTRIBUTED_CLEANUPS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/core/mutex.h"
#include "leat/core/timer_queue.h"
#include "leat/distributed/tasks.h"

namespace leat {

// Of which one message tells, and that a task takes of one.
inline constexpr size_t kMaxCleanupSteps = 10'000;

class Cleanups : public std::enable_shared_from_this<Cleanups> {
 public:
  static constexpr std::chrono::milliseconds kWait{10};

  // `tasks` and `timers` are borrowed, and not used after Stop. To call
  // `own_task` costs nothing. `wait`: how long a step waits for the next one.
  Cleanups(std::string own_task, Tasks& tasks, TimerQueue& timers,
           std::chrono::nanoseconds wait = kWait)
      : own_task_(std::move(own_task)),
        tasks_(tasks),
        timers_(timers),
        wait_(wait) {}

  // The task, one of Leat, is going to be told; false when the caller has to
  // tell it: the own task, and after Stop.
  bool Defer(const std::string& task, int64_t step_id);

  // Steps, kMaxCleanupSteps at most, of which that task is told now, by the
  // caller, with a RunGraph. When that fails it gives them back by Defer.
  std::vector<int64_t> Take(const std::string& task);

  // Forgets what is left: with their session, tasks end all its steps. No call
  // begins when it has returned. Idempotent; not on the thread of `timers`.
  void Stop();

 private:
  void Flush();

  const std::string own_task_;
  Tasks& tasks_;
  TimerQueue& timers_;
  const std::chrono::nanoseconds wait_;

  Mutex mutex_;
  CondVar idle_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  TimerQueue::Id timer_ ABSL_GUARDED_BY(mutex_) = 0;  // 0: none
  bool is_flushing_ ABSL_GUARDED_BY(mutex_) = false;
  // By task.
  absl::flat_hash_map<std::string, std::vector<int64_t>> steps_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLEANUPS_H_
