// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionWatch notices that a task of a session was lost while steps of the
// session are waiting. The lost task need not have a part in these steps.
//
// For example, a worker waits for a token in a queue of one parameter server.
// The token comes only after a gradient has reached a second parameter server.
// If the second server dies, no call of the waiting step fails.
#ifndef LEAT_DISTRIBUTED_MASTER_SESSION_WATCH_H_
#define LEAT_DISTRIBUTED_MASTER_SESSION_WATCH_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/exchange/peer.h"
#include "leat/distributed/master/cluster_devices.h"
#include "leat/distributed/master/registered_plan.h"
#include "leat/distributed/master/session_activity.h"
#include "leat/distributed/tasks/task_caller.h"

namespace leat {

// If a step runs for longer than an interval, the watch asks all tasks on which
// the session has used state (variables or queues) for their status. It asks
// again at every interval while such a step runs. If one of these tasks cannot
// be reached or was restarted, the watch ends all steps that began before its
// last look at the steps. Their error is UNAVAILABLE or ABORTED and names the
// task. The loss of any other task ends no step.
//
// A SessionWatch is thread-safe. Is owned by a shared_ptr, because calls to
// tasks may outlive the session.
class SessionWatch : public std::enable_shared_from_this<SessionWatch> {
 public:
  // `own_task` is the master's task, which is not asked. The session owns
  // `cluster` and `activity`. `tasks` and `timers` are borrowed and must
  // outlive the session.
  SessionWatch(std::string own_task, const ClusterDevices& cluster,
               SessionActivity& activity, std::chrono::nanoseconds interval,
               TaskCaller& tasks, TimerQueue& timers);

  // Notes that a step begins. `session` keeps `cluster` and `activity` alive.
  // Must be called for every step, after SessionActivity::SetStep.
  void Begin(const std::shared_ptr<const void>& session,
             const RegisteredPlan& plan);

 private:
  using Session = std::shared_ptr<const void>;

  // Calls LookAtSteps after the interval, unless the session is gone by then.
  void SetTimer(const Session& session) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // If a step has been running since the last look, asks the tasks. If any step
  // is running, sets the timer again.
  void LookAtSteps(const Session& session);
  // Asks the tasks in `used_`, except those that have not answered an earlier
  // question yet.
  void Ask(const Session& session);
  // Handles the answer of a task.
  void Hear(const std::string& task, const absl::StatusOr<PeerStatus>& answer);
  // Returns the error for the session's steps if the answer shows that the task
  // was lost or restarted. Otherwise returns OK.
  absl::Status Judge(const std::string& task,
                     const absl::StatusOr<PeerStatus>& answer) const;

  const std::string own_task_;
  const ClusterDevices& cluster_;
  SessionActivity& activity_;
  const std::chrono::nanoseconds interval_;
  TaskCaller& tasks_;
  TimerQueue& timers_;

  Mutex mutex_;
  bool has_timer_ ABSL_GUARDED_BY(mutex_) = false;
  // Is the number of the first step that began after the last look.
  int64_t looked_before_ ABSL_GUARDED_BY(mutex_) = 0;
  // `used_` has the tasks whose state the session has used. `asked_` has the
  // tasks of `used_` that have been asked but have not answered yet.
  absl::flat_hash_set<std::string> used_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::string> asked_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SESSION_WATCH_H_
