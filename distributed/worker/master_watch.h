// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterWatch ends the sessions of masters that have vanished.
//
// A master that crashed does not close its sessions, and perhaps never comes
// back. Therefore a task repeatedly asks the masters of idle sessions for their
// status.
#ifndef LEAT_DISTRIBUTED_WORKER_MASTER_WATCH_H_
#define LEAT_DISTRIBUTED_WORKER_MASTER_WATCH_H_

#include <chrono>
#include <map>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/intervals.h"
#include "leat/distributed/tasks/task_caller.h"
#include "leat/distributed/worker/worker.h"
#include "leat/distributed/worker/worker_session.h"

namespace leat {

// Is thread-safe. Is owned by a shared_ptr. Timers and calls under way keep
// only weak references.
class MasterWatch : public std::enable_shared_from_this<MasterWatch> {
 public:
  // A master has vanished when another process answers at its address. It has
  // also vanished when it has not answered for `silence` and no step of its
  // sessions has run meanwhile. A master that is not in the cluster cannot be
  // asked, and keeps its sessions.
  //
  // Masters are asked at intervals of a quarter of `silence`, clamped to
  // `intervals`.
  //
  // All references are borrowed and not used after Stop. Only the work that is
  // already in `blocking` may still use `worker`.
  MasterWatch(std::chrono::nanoseconds silence, IntervalRange intervals,
              Worker& worker, TaskCaller& tasks, TimerQueue& timers,
              WorkQueue& blocking);

  // Begins to ask masters.
  void Start();
  // Stops asking masters. Is idempotent. Must not be called on the thread of
  // `timers`.
  void Stop();

 private:
  // Calls AskIdle after `interval_`.
  void SetTimer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Asks the masters whose sessions have not been used for `interval_`.
  void AskIdle();
  // Handles the answer of a master.
  void Hear(const MasterProcess& master,
            const absl::StatusOr<PeerStatus>& answer);
  // Returns how long the master has been silent, that is, the time since the
  // first call that it did not answer. Adds the master to `silent_` if it is
  // not there yet.
  std::chrono::nanoseconds SilenceOf(const MasterProcess& master)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends the sessions of the master on `blocking`, unless one of them was used
  // within `idle`. `why` follows "Session 12ab" in the message.
  void End(const MasterProcess& master, std::chrono::nanoseconds idle,
           absl::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::chrono::nanoseconds silence_;
  const std::chrono::nanoseconds interval_;
  Worker& worker_;
  TaskCaller& tasks_;
  TimerQueue& timers_;
  WorkQueue& blocking_;

  Mutex mutex_;
  CondVar asked_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  int num_asking_ ABSL_GUARDED_BY(mutex_) = 0;  // running calls of AskIdle
  // Maps each silent master to the time when it first did not answer.
  std::map<MasterProcess, Clock::time_point> silent_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_MASTER_WATCH_H_
