// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MemberWatch asks the tasks of a group for their status while members wait for
// each other, to find out that the process of one is gone. A member that has
// only sent something would not notice otherwise.
#ifndef LEAT_DISTRIBUTED_COLLECTIVES_MEMBER_WATCH_H_
#define LEAT_DISTRIBUTED_COLLECTIVES_MEMBER_WATCH_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/tasks/task_caller.h"
#include "leat/kernels/collective_resolver.h"

namespace leat {

// Watches one group. Is thread-safe. Is owned by a shared_ptr. Timers and calls
// keep weak references.
class MemberWatch : public std::enable_shared_from_this<MemberWatch> {
 public:
  using Listener = absl::AnyInvocable<void(const absl::Status&) &&>;

  // The members of `own_task` are not watched. `on_lost` is called at most
  // once, before the listeners. `tasks` and `timers` are borrowed until the
  // watch is destroyed.
  MemberWatch(std::shared_ptr<const CollectiveGroup> group,
              std::string own_task, std::chrono::nanoseconds interval,
              TaskCaller& tasks, TimerQueue& timers, Listener on_lost);

  // Calls `listener` if a member is lost before the result is destroyed. While
  // there are listeners, all tasks are asked after each interval.
  std::shared_ptr<void> Add(Listener listener);
  // Asks all tasks now, once.
  void Ask();

 private:
  void SetTimer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Is called by the timer.
  void Look();
  void Remove(int64_t listener);
  // Handles the answer of a task.
  void Hear(const std::string& task, const absl::StatusOr<PeerStatus>& answer);
  // Returns an error if the answer says that the process of a member is gone.
  absl::Status Judge(const std::string& task,
                     const absl::StatusOr<PeerStatus>& answer) const;

  const std::shared_ptr<const CollectiveGroup> group_;
  const std::string own_task_;
  const std::chrono::nanoseconds interval_;
  TaskCaller& tasks_;
  TimerQueue& timers_;

  Mutex mutex_;
  bool has_timer_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t next_listener_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int64_t, Listener> listeners_ ABSL_GUARDED_BY(mutex_);
  Listener on_lost_ ABSL_GUARDED_BY(mutex_);  // null after a loss
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_COLLECTIVES_MEMBER_WATCH_H_
