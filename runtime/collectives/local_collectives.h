// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LocalCollectives resolves the collectives of one local session, whose groups
// have devices of this process only.
#ifndef LEAT_RUNTIME_COLLECTIVES_LOCAL_COLLECTIVES_H_
#define LEAT_RUNTIME_COLLECTIVES_LOCAL_COLLECTIVES_H_

#include <memory>

#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/runtime/collectives/caching_resolver.h"
#include "leat/runtime/collectives/group_table.h"

namespace leat {

// Is thread-safe.
class LocalCollectives final : public CachingResolver {
 public:
  // `clock` measures timeouts and must outlive this.
  explicit LocalCollectives(Clock& clock) : clock_(clock) {}

  // Returns null: the members live as long as the session.
  std::shared_ptr<void> Watch(
      std::shared_ptr<const CollectiveGroup> group,
      absl::AnyInvocable<void(const absl::Status&) &&> on_lost) override;
  // Starts the thread of the timers in the first call.
  TimerQueue& timers() override;

 private:
  void JoinGroup(GroupJoin join, std::shared_ptr<Cancellation> cancellation,
                 GroupTable::Joined done) override;
  void ClaimInstance(const CollectiveRequest& request,
                     const CollectiveGroup& group,
                     std::shared_ptr<Cancellation> cancellation,
                     InstanceTable::Done done) override;

  Clock& clock_;
  const std::shared_ptr<GroupTable> groups_ = std::make_shared<GroupTable>();
  Mutex mutex_;
  std::unique_ptr<TimerQueue> timers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_COLLECTIVES_LOCAL_COLLECTIVES_H_
