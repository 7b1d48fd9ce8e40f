// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/session_watch.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/distributed/master/master_step.h"

namespace leat {

SessionWatch::SessionWatch(std::string own_task, const ClusterDevices& cluster,
                           SessionActivity& activity,
                           std::chrono::nanoseconds interval, TaskCaller& tasks,
                           TimerQueue& timers)
    : own_task_(std::move(own_task)),
      cluster_(cluster),
      activity_(activity),
      interval_(interval),
      tasks_(tasks),
      timers_(timers) {}

void SessionWatch::Begin(const Session& session, const RegisteredPlan& plan) {
  MutexLock lock(mutex_);
  for (const TaskPart& part : plan.parts) {
    if (part.has_state && part.task != own_task_) used_.insert(part.task);
  }
  if (!has_timer_ && !used_.empty()) SetTimer(session);
}

void SessionWatch::SetTimer(const Session& session) {
  has_timer_ = true;
  looked_before_ = activity_.next_number();
  timers_.After(interval_, [self = shared_from_this(),
                            weak = std::weak_ptr<const void>(session)] {
    if (const Session session = weak.lock()) self->LookAtSteps(session);
  });
}

void SessionWatch::LookAtSteps(const Session& session) {
  bool has_waiting_steps = false;
  {
    MutexLock lock(mutex_);
    has_timer_ = false;
    if (activity_.Steps().empty()) return;
    has_waiting_steps = !activity_.StepsBefore(looked_before_).empty();
    SetTimer(session);
  }
  if (!has_waiting_steps) return;
  // Counts this inquiry as under way, so that the session and the tasks exist
  // until every task has been asked.
  const absl::StatusOr<int64_t> asking = activity_.Begin();
  if (!asking.ok()) return;
  Ask(session);
  activity_.End(*asking);
}

void SessionWatch::Ask(const Session& session) {
  std::vector<std::string> tasks;
  {
    MutexLock lock(mutex_);
    for (const std::string& task : used_) {
      if (asked_.insert(task).second) tasks.push_back(task);
    }
  }
  for (const std::string& task : tasks) {
    tasks_.GetStatus(task, tasks_.ShortCall(),
                     [self = shared_from_this(), task,
                      weak = std::weak_ptr<const void>(session)](
                         const absl::StatusOr<PeerStatus>& answer) {
                       if (const Session session = weak.lock()) {
                         self->Hear(task, answer);
                       }
                     });
  }
}

void SessionWatch::Hear(const std::string& task,
                        const absl::StatusOr<PeerStatus>& answer) {
  int64_t looked_before = 0;
  {
    MutexLock lock(mutex_);
    asked_.erase(task);
    looked_before = looked_before_;
  }
  const absl::Status why = Judge(task, answer);
  if (why.ok()) return;
  for (const auto& step : activity_.StepsBefore(looked_before)) {
    step->Cancel(why);
  }
}

absl::Status SessionWatch::Judge(
    const std::string& task, const absl::StatusOr<PeerStatus>& answer) const {
  const std::string from = absl::StrCat("From ", task, ":\n");
  if (!answer.ok()) {
    const absl::Status& status = answer.status();
    if (!absl::IsUnavailable(status)) return {};
    return absl::UnavailableError(absl::StrCat(
        from, status.message(),
        "; the step was waiting, and its session has state on this task"));
  }
  for (const DeviceInfo& known : cluster_.devices) {
    for (const DeviceInfo& now : answer->devices) {
      if (known.name == now.name && known.incarnation != now.incarnation) {
        return absl::AbortedError(absl::StrCat(
            from,
            "the task was restarted while a step of its session was "
            "waiting, and has lost the session's state"));
      }
    }
  }
  return {};
}

}  // namespace leat
