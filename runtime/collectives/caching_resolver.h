// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CachingResolver is what the resolvers of local sessions and of tasks share.
// It remembers the groups and the collectives, so that only the first run of a
// collective asks the leader.
#ifndef LEAT_RUNTIME_COLLECTIVES_CACHING_RESOLVER_H_
#define LEAT_RUNTIME_COLLECTIVES_CACHING_RESOLVER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/collective_resolver.h"
#include "leat/runtime/collectives/group_table.h"

namespace leat {

// Is thread-safe. Is owned by a shared_ptr: members that wait share the
// ownership.
class CachingResolver : public CollectiveResolver,
                        public std::enable_shared_from_this<CachingResolver> {
 public:
  // Limits the collectives that are remembered. It is smaller than
  // InstanceTable::kMaxInstances: the leader forgets a collective later than
  // its members.
  static constexpr size_t kMaxInstances = 100'000;

  void Resolve(const CollectiveRequest& request,
               std::shared_ptr<Cancellation> cancellation, Done done) final;
  // Is called when a step of the session has failed on this task. The clients
  // of the session then know of a failure. Forgets all collectives: what the
  // members have claimed may be another collective in the next step.
  void StepHasFailed();

 protected:
  // Returns the groups that are known.
  std::vector<std::shared_ptr<const CollectiveGroup>> Groups() const;
  // Forgets all collectives, so that their members claim them again.
  void ForgetInstances();
  // Forgets a group whose member is gone. If no step has failed since a step
  // used the group, the next member fails with `why`, so that each client hears
  // of the loss. Later ones join the group anew, and wait until it is complete.
  void ForgetLost(const CollectiveGroup& group, const absl::Status& why);

 private:
  using Group = std::shared_ptr<const CollectiveGroup>;
  // Holds a device, the key of a group, and the key of a collective.
  using InstanceKey = std::tuple<std::string, int32_t, int32_t>;

  // Joins the group at the leader. GroupJoin::is_leat and device_type are set.
  virtual void JoinGroup(GroupJoin join,
                         std::shared_ptr<Cancellation> cancellation,
                         GroupTable::Joined done) = 0;
  // Claims a collective of the group at the leader. The answer is not checked.
  virtual void ClaimInstance(const CollectiveRequest& request,
                             const CollectiveGroup& group,
                             std::shared_ptr<Cancellation> cancellation,
                             InstanceTable::Done done) = 0;

  // Returns the group, or null if it is not known or does not fit. Notes that a
  // step uses it.
  Group FindGroup(const CollectiveRequest& request);
  // Sets GroupJoin::lost_id. Returns the error of the next member, if a member
  // of the group is gone.
  absl::Status TakeLoss(GroupJoin& join);
  // Goes on with a member whose group is known.
  void ResolveInstance(const CollectiveRequest& request, const Group& group,
                       std::shared_ptr<Cancellation> cancellation, Done done);
  // Does what ClaimInstance does. While a broadcast waits for the other
  // members, watches them, and ends the wait if one is lost.
  void Claim(const CollectiveRequest& request, const Group& group,
             std::shared_ptr<Cancellation> cancellation,
             InstanceTable::Done done);
  // Returns what the member was told before. Returns NOT_FOUND if it has to
  // ask.
  absl::StatusOr<int> FindSource(const CollectiveRequest& request,
                                 const CollectiveGroup& group) const;
  // Remembers a collective of a member.
  void Remember(const CollectiveRequest& request, const CollectiveGroup& group,
                int source_rank);
  // Makes the members join the group anew, because the leader does not know it
  // any more.
  void JoinAgain(const CollectiveGroup& group);

  // Holds a group that the member was told of.
  struct KnownGroup {
    Group group = {};
    // Is true if the leader does not know the group any more. Its members still
    // are told of failures.
    bool is_outdated = false;
    bool has_failed = false;  // a step has failed since a step used the group
  };
  // Describes a group whose member is gone.
  struct LostGroup {
    std::string id = {};
    absl::Status untold = {};  // the error of the next member, or OK
  };

  mutable Mutex mutex_;
  absl::flat_hash_map<int32_t, KnownGroup> groups_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<int32_t, LostGroup> lost_ ABSL_GUARDED_BY(mutex_);
  // Holds the request that was granted, and the rank of the sender.
  struct Instance {
    std::string group_id = {};
    CollectiveType type = CollectiveType::kReduction;
    DType dtype = DType::kInvalid;
    Shape shape = {};
    bool is_source = false;
    int source_rank = -1;
  };
  absl::flat_hash_map<InstanceKey, Instance> instances_ ABSL_GUARDED_BY(mutex_);
  std::deque<InstanceKey> by_age_ ABSL_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace leat

#endif  // LEAT_RUNTIME_COLLECTIVES_CACHING_RESOLVER_H_
