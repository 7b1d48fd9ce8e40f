// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// LostDeletions: sessions that a master has told tasks to delete while the way
// to them was broken. A task that is alive all the same would keep them for
// ever, so it is told again, ever more seldom, until it answers. Thread-safe.
#ifndef LEAT_DISTRIBUTED_LOST_DELETIONS_H_
#define LEAT_DISTRIBUTED_LOST_DELETIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "leat/core/mutex.h"
#include "leat/core/timer_queue.h"
#include "leat/distributed/tasks.h"

namespace leat {

class LostDeletions : public std::enable_shared_from_this<LostDeletions> {
 public:
  // Of more than that, the oldest of the task that has the most are given up:
  // one that never comes back must not crowd out those that do.
  static constexpr size_t kMaxSessions = 1000;
  // Until the first try, then twice as long each time, up to the other.
  static constexpr std::chrono::milliseconds kFirstWait{100};
  static constexpr std::chrono::minutes kLongestWait{1};

  // Both are borrowed, and not used after Stop.
  LostDeletions(Tasks& tasks, TimerQueue& timers)
      : tasks_(tasks), timers_(timers) {}

  // Tries again if `status`, the outcome of DeleteWorkerSession, says that the
  // task may not have heard of it: UNAVAILABLE, DEADLINE_EXCEEDED.
  void Note(const std::string& task, const std::string& session,
            const absl::Status& status);

  // Gives all up. Nothing is tried when it has returned. Idempotent; not to be
  // called on the thread of `timers`.
  void Stop();

  size_t size() const;

 private:
  struct Deletion {
    std::string task = {};
    std::string session = {};
    std::chrono::nanoseconds wait = kFirstWait;
  };

  void ForgetOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetTimer(int64_t id, std::chrono::nanoseconds wait)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Try(int64_t id);
  void Finish(int64_t id, const absl::Status& status);

  Tasks& tasks_;
  TimerQueue& timers_;

  mutable Mutex mutex_;
  CondVar tried_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  int num_trying_ ABSL_GUARDED_BY(mutex_) = 0;  // calls that are being made
  int64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, Deletion> deletions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_LOST_DELETIONS_H_
