// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/collectives/local_collectives.h"

#include <utility>

namespace leat {

std::shared_ptr<void> LocalCollectives::Watch(
    std::shared_ptr<const CollectiveGroup> group,
    absl::AnyInvocable<void(const absl::Status&) &&> on_lost) {
  static_cast<void>(group);
  static_cast<void>(on_lost);
  return nullptr;
}

TimerQueue& LocalCollectives::timers() {
  MutexLock lock(mutex_);
  if (timers_ == nullptr) {
    timers_ = std::make_unique<TimerQueue>("leat-timers", clock_);
  }
  return *timers_;
}

void LocalCollectives::JoinGroup(GroupJoin join,
                                 std::shared_ptr<Cancellation> cancellation,
                                 GroupTable::Joined done) {
  groups_->Join(std::move(join), std::move(cancellation), std::move(done));
}

void LocalCollectives::ClaimInstance(const CollectiveRequest& request,
                                     const CollectiveGroup& group,
                                     std::shared_ptr<Cancellation> cancellation,
                                     InstanceTable::Done done) {
  groups_->Claim(group.key,
                 {.type = request.type,
                  .instance_key = request.instance_key,
                  .dtype = request.dtype,
                  .shape = request.shape,
                  .device = request.device.name,
                  .is_source = request.is_source},
                 std::move(cancellation), std::move(done));
}

}  // namespace leat
