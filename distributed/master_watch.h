// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// MasterWatch: ends the sessions of masters that are no more. A master that
// crashed closes none, and need not come back; so those whose sessions nobody
// uses are asked, again and again, how they are. Thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_WATCH_H_
#define LEAT_DISTRIBUTED_MASTER_WATCH_H_

#include <chrono>
#include <map>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/core/timer_queue.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/master_process.h"
#include "leat/distributed/tasks.h"
#include "leat/distributed/worker.h"

namespace leat {

class MasterWatch : public std::enable_shared_from_this<MasterWatch> {
 public:
  // A master has vanished when it does not answer, and no step of its sessions
  // runs, for `silence`, or when another process answers in its place. One that
  // is not in the cluster cannot be asked, and keeps its sessions.
  //
  // All are borrowed. None is used after Stop but the worker, by what is still
  // to be done on `blocking`.
  MasterWatch(std::chrono::nanoseconds silence, Worker& worker, Tasks& tasks,
              TimerQueue& timers, WorkQueue& blocking);

  // Asks from now on, several times within `silence`.
  void Start();
  // Asks no more. Idempotent; not to be called on the thread of `timers`.
  void Stop();

 private:
  using Clock = std::chrono::steady_clock;

  void SetTimer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AskIdle();
  void Hear(const MasterProcess& master,
            const absl::StatusOr<PeerStatus>& answer);
  // For how long, up to this failure.
  std::chrono::nanoseconds SilenceOf(const MasterProcess& master)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(const MasterProcess& master, std::chrono::nanoseconds idle,
           absl::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::chrono::nanoseconds silence_;
  const std::chrono::nanoseconds interval_;
  Worker& worker_;
  Tasks& tasks_;
  TimerQueue& timers_;
  WorkQueue& blocking_;

  Mutex mutex_;
  CondVar asked_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  int num_asking_ ABSL_GUARDED_BY(mutex_) = 0;
  // Since they did not answer for the first time.
  std::map<MasterProcess, Clock::time_point> silent_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_WATCH_H_
