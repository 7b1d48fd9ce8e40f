// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/collectives/group_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"

namespace leat {

void SortMembers(std::vector<CollectiveMember>& members) {
  for (CollectiveMember& member : members) {
    member.task = TaskOfMember(member.device.name);
  }
  const auto order = [](const CollectiveMember& member) {
    const absl::StatusOr<DeviceName> name =
        DeviceName::Parse(member.device.name);
    return std::make_tuple(member.task,
                           name.ok() ? name->type.value_or("") : "",
                           name.ok() ? name->id.value_or(0) : 0);
  };
  std::sort(members.begin(), members.end(),
            [&](const CollectiveMember& a, const CollectiveMember& b) {
              return order(a) < order(b);
            });
}

void GroupTable::Join(GroupJoin join,
                      std::shared_ptr<Cancellation> cancellation, Joined done) {
  Change change;
  absl::Status status;
  std::shared_ptr<const CollectiveGroup> complete;
  {
    MutexLock lock(mutex_);
    status = Add(join, change);
    if (status.ok()) {
      complete = groups_[join.key].complete;
      if (complete == nullptr) {
        status = Wait(join, std::move(cancellation), done);
        if (!status.ok()) RemoveUnlessWaiting(join.key, join.device.name);
      }
    }
    num_waiting_ -= change.answered.size();
  }
  if (!status.ok()) {
    std::move(done)(status);
  } else if (complete != nullptr) {
    std::move(done)(complete);
  }
  for (Waiter& waiter : change.answered) {
    waiter.cancellation->Deregister(waiter.token);
    if (change.answer.ok()) {
      std::move(waiter.done)(complete);
    } else {
      std::move(waiter.done)(change.answer);
    }
  }
  for (const auto& instances : change.replaced) {
    instances->Close(
        absl::AbortedError("the group of the collective has formed anew"));
  }
}

absl::StatusOr<GroupTable::Group*> GroupTable::FindOrAdd(const GroupJoin& join,
                                                         Change& change) {
  if (join.size > kMaxSize) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a group of ", join.size, " devices (group_key=", join.key,
                     ") is larger than the largest, ", kMaxSize));
  }
  auto found = groups_.find(join.key);
  if (found != groups_.end() && found->second.complete != nullptr &&
      found->second.complete->id == join.lost_id) {
    change.replaced.push_back(std::move(found->second.instances));
    groups_.erase(found);
    found = groups_.end();
  }
  if (found != groups_.end()) return &found->second;
  if (groups_.size() >= kMaxGroups && !ForgetOldest(change)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there are ", groups_.size(), " groups already"));
  }
  Group& added = groups_[join.key];
  added.size = join.size;
  added.device_type = join.device_type;
  return &added;
}

bool GroupTable::ForgetOldest(Change& change) {
  auto oldest = groups_.end();
  for (auto it = groups_.begin(); it != groups_.end(); ++it) {
    if (it->second.complete == nullptr) continue;
    if (oldest == groups_.end() ||
        it->second.last_use < oldest->second.last_use) {
      oldest = it;
    }
  }
  if (oldest == groups_.end()) return false;
  change.replaced.push_back(std::move(oldest->second.instances));
  groups_.erase(oldest);
  return true;
}

absl::Status GroupTable::Add(const GroupJoin& join, Change& change) {
  LEAT_ASSIGN_OR_RETURN(Group* const known_group, FindOrAdd(join, change));
  Group& group = *known_group;
  group.last_use = ++num_uses_;
  const auto member = std::find_if(
      group.members.begin(), group.members.end(),
      [&](const auto& known) { return known.device.name == join.device.name; });
  const bool is_known = member != group.members.end();
  const bool is_same =
      is_known && member->device.incarnation == join.device.incarnation;
  if (is_same) return Compare(join, group);
  if (is_known && group.complete == nullptr) {
    // Another process of the task has taken the place of the member's.
    group.members.erase(member);
  } else if (is_known) {
    change.replaced.push_back(std::move(group.instances));
    group = Group{.size = join.size,
                  .device_type = join.device_type,
                  .last_use = num_uses_};
  }
  if (const absl::Status status = Compare(join, group); !status.ok()) {
    if (group.complete != nullptr) return status;
    change.answered.swap(group.waiters);
    change.answer = status;
    groups_.erase(join.key);
    return status;
  }
  if (group.complete != nullptr) {
    return absl::InternalError(absl::StrCat(
        "Device ", join.device.name,
        " is joining a group that is already full (group_key=", join.key, ")"));
  }
  group.members.push_back({.device = join.device});
  group.is_all_leat = group.is_all_leat && join.is_leat;
  if (group.members.size() == static_cast<size_t>(group.size)) {
    Complete(join.key, group);
    change.answered.swap(group.waiters);
  }
  return absl::OkStatus();
}

absl::Status GroupTable::Compare(const GroupJoin& join,
                                 const Group& group) const {
  if (join.device_type != group.device_type) {
    return absl::InternalError(
        absl::StrCat("Device ", join.device.name,
                     " is joining a group with incompatible device type",
                     group.device_type, " (group_key=", join.key, ")"));
  }
  if (join.size == group.size) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "Device ", join.device.name, " is joining a group with size", join.size,
      ", but that group has size ", group.size, " (group_key=", join.key, ")"));
}

void GroupTable::Complete(int32_t key, Group& group) {
  SortMembers(group.members);
  group.complete = std::make_shared<const CollectiveGroup>(
      CollectiveGroup{.key = key,
                      .id = RandomHandle(),
                      .members = group.members,
                      .is_all_leat = group.is_all_leat});
  group.instances = std::make_shared<InstanceTable>(group.complete);
}

absl::Status GroupTable::Wait(const GroupJoin& join,
                              std::shared_ptr<Cancellation> cancellation,
                              Joined& done) {
  if (num_waiting_ >= kMaxWaiting) {
    return absl::ResourceExhaustedError(absl::StrCat(
        num_waiting_, " members wait for their groups to be complete already"));
  }
  Waiter waiter{.id = next_waiter_++,
                .device = join.device.name,
                .cancellation = std::move(cancellation)};
  const bool registered = waiter.cancellation->Register(
      [weak = weak_from_this(), key = join.key,
       id = waiter.id](const absl::Status& why) {
        if (const auto self = weak.lock()) self->Cancel(key, id, why);
      },
      &waiter.token);
  if (!registered) return waiter.cancellation->status();
  waiter.done = std::move(done);
  groups_[join.key].waiters.push_back(std::move(waiter));
  ++num_waiting_;
  return absl::OkStatus();
}

void GroupTable::Cancel(int32_t key, int64_t waiter, const absl::Status& why) {
  Joined done;
  {
    MutexLock lock(mutex_);
    const auto found = groups_.find(key);
    if (found == groups_.end()) return;
    Group& group = found->second;
    const auto place =
        std::find_if(group.waiters.begin(), group.waiters.end(),
                     [waiter](const Waiter& w) { return w.id == waiter; });
    if (place == group.waiters.end()) return;
    done = std::move(place->done);
    const std::string device = std::move(place->device);
    group.waiters.erase(place);
    --num_waiting_;
    RemoveUnlessWaiting(key, device);
  }
  std::move(done)(why);
}

void GroupTable::RemoveUnlessWaiting(int32_t key, const std::string& device) {
  const auto found = groups_.find(key);
  if (found == groups_.end()) return;
  Group& group = found->second;
  const auto waits = [&](const Waiter& w) { return w.device == device; };
  if (std::none_of(group.waiters.begin(), group.waiters.end(), waits)) {
    std::erase_if(group.members, [&](const CollectiveMember& member) {
      return member.device.name == device;
    });
  }
  if (group.members.empty()) groups_.erase(found);
}

void GroupTable::Claim(int32_t group_key, const InstanceClaim& claim,
                       std::shared_ptr<Cancellation> cancellation,
                       InstanceTable::Done done) {
  std::shared_ptr<InstanceTable> instances;
  {
    MutexLock lock(mutex_);
    const auto found = groups_.find(group_key);
    if (found != groups_.end()) {
      found->second.last_use = ++num_uses_;
      instances = found->second.instances;
    }
  }
  if (instances == nullptr) {
    return std::move(done)(absl::FailedPreconditionError(absl::StrCat(
        "group ", group_key,
        " not found. This normally means the server has restarted")));
  }
  instances->Claim(claim, std::move(cancellation), std::move(done));
}

}  // namespace leat
