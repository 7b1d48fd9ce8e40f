// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionCollectives resolves the collectives of one session of a task. It asks
// the leader of the groups, which is a task of the cluster.
#ifndef LEAT_DISTRIBUTED_COLLECTIVES_SESSION_COLLECTIVES_H_
#define LEAT_DISTRIBUTED_COLLECTIVES_SESSION_COLLECTIVES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/collectives/collective_environment.h"
#include "leat/distributed/collectives/member_watch.h"
#include "leat/runtime/collectives/caching_resolver.h"

namespace leat {

// Is thread-safe.
class SessionCollectives final : public CachingResolver {
 public:
  explicit SessionCollectives(CollectiveEnvironment environment)
      : environment_(std::move(environment)) {}

  // Finds out whether the process of a member is gone.
  void AskMembers();
  // Is called when another member has found that a process of the group is
  // gone. `why` names it.
  void GroupIsLost(int32_t key, const std::string& id, const absl::Status& why);

  std::shared_ptr<void> Watch(
      std::shared_ptr<const CollectiveGroup> group,
      absl::AnyInvocable<void(const absl::Status&) &&> on_lost) override;
  TimerQueue& timers() override { return *environment_.timers; }

 private:
  using Group = std::shared_ptr<const CollectiveGroup>;

  void JoinGroup(GroupJoin join, std::shared_ptr<Cancellation> cancellation,
                 GroupTable::Joined done) override;
  void ClaimInstance(const CollectiveRequest& request,
                     const CollectiveGroup& group,
                     std::shared_ptr<Cancellation> cancellation,
                     InstanceTable::Done done) override;
  // Returns the watch of a group, and makes it if there is none.
  std::shared_ptr<MemberWatch> WatchOf(const Group& group);
  // Forgets a group whose member is gone, and tells all other tasks.
  void Lose(const Group& group, const absl::Status& why);
  void Forget(const Group& group, const absl::Status& why);

  const CollectiveEnvironment environment_;
  Mutex watch_mutex_;
  // Holds the watches of groups, by their ids.
  absl::flat_hash_map<std::string, std::shared_ptr<MemberWatch>> watches_
      ABSL_GUARDED_BY(watch_mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_COLLECTIVES_SESSION_COLLECTIVES_H_
