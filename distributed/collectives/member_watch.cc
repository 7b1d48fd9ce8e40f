// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/collectives/member_watch.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace leat {

MemberWatch::MemberWatch(std::shared_ptr<const CollectiveGroup> group,
                         std::string own_task,
                         std::chrono::nanoseconds interval, TaskCaller& tasks,
                         TimerQueue& timers, Listener on_lost)
    : group_(std::move(group)),
      own_task_(std::move(own_task)),
      interval_(interval),
      tasks_(tasks),
      timers_(timers),
      on_lost_(std::move(on_lost)) {}

std::shared_ptr<void> MemberWatch::Add(Listener listener) {
  int64_t id = 0;
  {
    MutexLock lock(mutex_);
    id = next_listener_++;
    listeners_.emplace(id, std::move(listener));
    if (!has_timer_) SetTimer();
  }
  return {nullptr,
          [self = shared_from_this(), id](void*) { self->Remove(id); }};
}

void MemberWatch::Remove(int64_t listener) {
  Listener removed;  // freed outside the lock
  MutexLock lock(mutex_);
  const auto found = listeners_.find(listener);
  if (found == listeners_.end()) return;
  removed = std::move(found->second);
  listeners_.erase(found);
}

void MemberWatch::SetTimer() {
  has_timer_ = true;
  timers_.After(interval_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Look();
  });
}

void MemberWatch::Look() {
  {
    MutexLock lock(mutex_);
    has_timer_ = false;
    if (listeners_.empty()) return;
    SetTimer();
  }
  Ask();
}

void MemberWatch::Ask() {
  const std::string* last = nullptr;
  for (const CollectiveMember& member : group_->members) {
    const bool is_asked = last != nullptr && *last == member.task;
    last = &member.task;
    if (is_asked || member.task == own_task_) continue;
    tasks_.GetStatus(member.task, tasks_.ShortCall(),
                     [weak = weak_from_this(), task = member.task](
                         const absl::StatusOr<PeerStatus>& answer) {
                       if (const auto self = weak.lock()) {
                         self->Hear(task, answer);
                       }
                     });
  }
}

void MemberWatch::Hear(const std::string& task,
                       const absl::StatusOr<PeerStatus>& answer) {
  const absl::Status why = Judge(task, answer);
  if (why.ok()) return;
  Listener on_lost;
  absl::flat_hash_map<int64_t, Listener> listeners;
  {
    MutexLock lock(mutex_);
    listeners.swap(listeners_);
    std::swap(on_lost, on_lost_);
  }
  if (on_lost != nullptr) std::move(on_lost)(why);
  for (auto& [id, listener] : listeners) std::move(listener)(why);
}

absl::Status MemberWatch::Judge(
    const std::string& task, const absl::StatusOr<PeerStatus>& answer) const {
  const std::string member = absl::StrCat(
      "; it is a member of a collective with group_key=", group_->key);
  if (!answer.ok()) {
    // A call that took too long or was given up says nothing of the task.
    if (absl::IsDeadlineExceeded(answer.status()) ||
        absl::IsCancelled(answer.status())) {
      return absl::OkStatus();
    }
    return absl::UnavailableError(
        absl::StrCat(answer.status().message(), member));
  }
  for (const CollectiveMember& known : group_->members) {
    if (known.task != task) continue;
    const bool is_there =
        std::any_of(answer->devices.begin(), answer->devices.end(),
                    [&](const DeviceInfo& now) {
                      return known.device.name == now.name &&
                             known.device.incarnation == now.incarnation;
                    });
    if (!is_there) {
      return absl::AbortedError(
          absl::StrCat("task ", task, " was restarted", member));
    }
  }
  return absl::OkStatus();
}

}  // namespace leat
