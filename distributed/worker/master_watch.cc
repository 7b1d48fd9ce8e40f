// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/master_watch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace leat {
namespace {

// Returns true for every error except NOT_FOUND. This includes the errors of
// another program that answers at the master's address. NOT_FOUND means that
// the master is not in the cluster, so it cannot be asked.
bool IsSilent(const absl::Status& answer) {
  return !answer.ok() && !absl::IsNotFound(answer);
}

// Returns true if the answer comes from the process `master`, and not from
// another process at the same address.
bool IsThatProcess(const MasterProcess& master, const PeerStatus& status) {
  return std::any_of(status.devices.begin(), status.devices.end(),
                     [&master](const DeviceInfo& device) {
                       return static_cast<int64_t>(device.incarnation) ==
                              master.incarnation;
                     });
}

}  // namespace

MasterWatch::MasterWatch(std::chrono::nanoseconds silence,
                         IntervalRange intervals, Worker& worker,
                         TaskCaller& tasks, TimerQueue& timers,
                         WorkQueue& blocking)
    : silence_(silence),
      interval_(intervals.Clamp(silence / 4)),
      worker_(worker),
      tasks_(tasks),
      timers_(timers),
      blocking_(blocking) {}

void MasterWatch::Start() {
  MutexLock lock(mutex_);
  if (!is_stopped_) SetTimer();
}

void MasterWatch::SetTimer() {
  timers_.After(interval_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->AskIdle();
  });
}

void MasterWatch::AskIdle() {
  {
    MutexLock lock(mutex_);
    if (is_stopped_) return;
    ++num_asking_;
  }
  const std::vector<MasterProcess> masters = worker_.IdleMasters(interval_);
  {
    // Forgets the silence of all other masters, because their sessions have
    // been used since or have ended.
    MutexLock lock(mutex_);
    std::erase_if(silent_, [&masters](const auto& entry) {
      return !std::binary_search(masters.begin(), masters.end(), entry.first);
    });
  }
  for (const MasterProcess& master : masters) {
    tasks_.GetStatus(master.task, tasks_.ShortCall(),
                     [weak = weak_from_this(),
                      master](const absl::StatusOr<PeerStatus>& answer) {
                       if (const auto self = weak.lock()) {
                         self->Hear(master, answer);
                       }
                     });
  }
  MutexLock lock(mutex_);
  --num_asking_;
  asked_.NotifyAll();
  if (!is_stopped_) SetTimer();
}

void MasterWatch::Hear(const MasterProcess& master,
                       const absl::StatusOr<PeerStatus>& answer) {
  MutexLock lock(mutex_);
  if (is_stopped_) return;
  if (IsSilent(answer.status())) {
    if (SilenceOf(master) < silence_) return;
    return End(master, silence_,
               "is over: its master did not answer (--master-silence)");
  }
  silent_.erase(master);
  if (answer.ok() && !IsThatProcess(master, *answer)) {
    End(master, interval_, "is over: its master was restarted");
  }
}

std::chrono::nanoseconds MasterWatch::SilenceOf(const MasterProcess& master) {
  const Clock::time_point now = timers_.clock().Now();
  return now - silent_.try_emplace(master, now).first->second;
}

void MasterWatch::End(const MasterProcess& master,
                      std::chrono::nanoseconds idle, absl::string_view why) {
  blocking_.Add([&worker = worker_, master, idle, why = std::string(why)] {
    worker.EndIdleSessions(master, idle, why);
  });
}

void MasterWatch::Stop() {
  MutexLock lock(mutex_);
  is_stopped_ = true;
  while (num_asking_ > 0) asked_.Wait(mutex_);
}

}  // namespace leat
