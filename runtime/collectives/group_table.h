// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GroupTable is where groups form: at the leader of a cluster, or in a local
// session. Each device that takes part in a collective joins the group with the
// key that its op names. When all members have joined, all of them are told.
#ifndef LEAT_RUNTIME_COLLECTIVES_GROUP_TABLE_H_
#define LEAT_RUNTIME_COLLECTIVES_GROUP_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/collective_resolver.h"
#include "leat/runtime/collectives/instance_table.h"

namespace leat {

// Sorts the members of a group as TensorFlow does: by the names of the tasks,
// and within a task by the types and numbers of the devices. Sets their tasks.
void SortMembers(std::vector<CollectiveMember>& members);

// Describes a device that joins a group.
struct GroupJoin {
  int32_t key = 0;
  int32_t size = 0;
  std::string device_type = {};
  DeviceInfo device = {};
  bool is_leat = false;  // true if the device belongs to a task of Leat
  // Is the id of the group that the device was a member of before, if the
  // process of one of its members is gone. That group is to form anew.
  std::string lost_id = {};
};

// Is thread-safe. Is owned by a shared_ptr. The cancellations of members that
// wait have weak references.
class GroupTable : public std::enable_shared_from_this<GroupTable> {
 public:
  static constexpr size_t kMaxGroups = 10'000;
  static constexpr int32_t kMaxSize = 10'000;     // of a group
  static constexpr size_t kMaxWaiting = 100'000;  // joins, in all groups

  using Joined = absl::AnyInvocable<
      void(absl::StatusOr<std::shared_ptr<const CollectiveGroup>>) &&>;

  // Calls `done` exactly once: with the group when it is complete, with the
  // status of `cancellation` when that is cancelled, or
  // - INTERNAL, with TensorFlow's texts, if the size or the device type differs
  //   from that of the group, or the group has all of its members already. If
  //   the group was not complete, all members that wait get the error, too;
  // - RESOURCE_EXHAUSTED if there are too many incomplete groups, or too many
  //   members. Of the complete groups, those that were used last are kept.
  //
  // A complete group forms anew if a member joins again with a new incarnation
  // of its device, or if GroupJoin::lost_id names the group. Only then may its
  // size be another one.
  void Join(GroupJoin join, std::shared_ptr<Cancellation> cancellation,
            Joined done);

  // Does what InstanceTable::Claim does. `done` gets FAILED_PRECONDITION, with
  // TensorFlow's text, if the group is not complete.
  void Claim(int32_t group_key, const InstanceClaim& claim,
             std::shared_ptr<Cancellation> cancellation,
             InstanceTable::Done done);

 private:
  // Describes a member that waits for the others.
  struct Waiter {
    int64_t id = 0;
    std::string device = {};
    std::shared_ptr<Cancellation> cancellation = {};
    Cancellation::Token token = -1;
    Joined done = {};
  };
  using Waiters = std::vector<Waiter>;
  struct Group {
    int32_t size = 0;
    std::string device_type = {};
    std::vector<CollectiveMember> members = {};
    bool is_all_leat = true;
    Waiters waiters = {};
    // Are set when the group is complete.
    std::shared_ptr<const CollectiveGroup> complete = {};
    std::shared_ptr<InstanceTable> instances = {};
    int64_t last_use = 0;  // a larger number stands for a later use
  };
  // Says what a join changes for others. They are told outside of the lock.
  struct Change {
    Waiters answered = {};
    absl::Status answer = {};  // for them; if OK, they get the group
    // Holds the tables of groups that do not exist any more.
    std::vector<std::shared_ptr<InstanceTable>> replaced = {};
  };

  // Adds the device to its group. Returns an error if it does not fit.
  absl::Status Add(const GroupJoin& join, Change& change)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the group that the device joins. It may be a new one.
  absl::StatusOr<Group*> FindOrAdd(const GroupJoin& join, Change& change)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets the complete group whose last use was first. Returns false if no
  // group is complete.
  bool ForgetOldest(Change& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes a device from a group that is not complete, unless the device
  // waits. Forgets a group without members.
  void RemoveUnlessWaiting(int32_t key, const std::string& device)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns an error if the device does not fit to the group.
  absl::Status Compare(const GroupJoin& join, const Group& group) const;
  // Makes `group` complete.
  static void Complete(int32_t key, Group& group);
  // Lets a member wait. Returns an error if it cannot wait, and then leaves
  // `done` as it is.
  absl::Status Wait(const GroupJoin& join,
                    std::shared_ptr<Cancellation> cancellation, Joined& done)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Is called when a member that waits is cancelled.
  void Cancel(int32_t key, int64_t waiter, const absl::Status& why);

  Mutex mutex_;
  int64_t num_uses_ ABSL_GUARDED_BY(mutex_) = 0;  // Join and Claim
  int64_t next_waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t num_waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<int32_t, Group> groups_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_RUNTIME_COLLECTIVES_GROUP_TABLE_H_
