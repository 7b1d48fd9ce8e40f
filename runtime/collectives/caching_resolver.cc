// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/collectives/caching_resolver.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {

void CachingResolver::Resolve(const CollectiveRequest& request,
                              std::shared_ptr<Cancellation> cancellation,
                              Done done) {
  if (Group group = FindGroup(request)) {
    return ResolveInstance(request, group, std::move(cancellation),
                           std::move(done));
  }
  GroupJoin join{.key = request.group_key,
                 .size = request.group_size,
                 .device_type = request.device.type,
                 .device = request.device,
                 .is_leat = true};
  {
    MutexLock lock(mutex_);
    const auto lost = lost_.find(request.group_key);
    if (lost != lost_.end()) join.lost_id = lost->second;
  }
  JoinGroup(std::move(join), cancellation,
            [self = shared_from_this(), request, cancellation,
             done = std::move(done)](absl::StatusOr<Group> group) mutable {
              if (!group.ok()) return std::move(done)(group.status());
              {
                MutexLock lock(self->mutex_);
                self->groups_[request.group_key] = *group;
                self->lost_.erase(request.group_key);
              }
              self->ResolveInstance(request, *group, std::move(cancellation),
                                    std::move(done));
            });
}

CachingResolver::Group CachingResolver::FindGroup(
    const CollectiveRequest& request) const {
  MutexLock lock(mutex_);
  const auto found = groups_.find(request.group_key);
  if (found == groups_.end()) return nullptr;
  const Group& group = found->second;
  return group->size() == request.group_size &&
                 group->RankOf(request.device.name).has_value()
             ? group
             : nullptr;
}

void CachingResolver::ResolveInstance(
    const CollectiveRequest& request, const Group& group,
    std::shared_ptr<Cancellation> cancellation, Done done) {
  const std::optional<int> rank = group->RankOf(request.device.name);
  if (!rank.has_value()) {
    return std::move(done)(absl::InternalError(
        absl::StrCat("Device ", request.device.name,
                     " is not in the group that it has joined (group_key=",
                     request.group_key, ")")));
  }
  ResolvedCollective member{.group = group, .rank = *rank};
  const absl::StatusOr<int> source = FindSource(request);
  if (source.ok()) {
    member.source_rank = *source;
    return std::move(done)(std::move(member));
  }
  if (!absl::IsNotFound(source.status())) {
    return std::move(done)(source.status());
  }
  ClaimInstance(request, *group, std::move(cancellation),
                [self = shared_from_this(), request, member = std::move(member),
                 done = std::move(done)](absl::StatusOr<int> claimed) mutable {
                  if (!claimed.ok()) return std::move(done)(claimed.status());
                  self->Remember(request, *claimed);
                  member.source_rank = *claimed;
                  std::move(done)(std::move(member));
                });
}

absl::StatusOr<int> CachingResolver::FindSource(
    const CollectiveRequest& request) const {
  const absl::Status unknown = absl::NotFoundError("");
  MutexLock lock(mutex_);
  const auto found = instances_.find(
      {request.device.name, request.group_key, request.instance_key});
  if (found == instances_.end()) return unknown;
  const Instance& known = found->second;
  // The leader finds the words for what differs.
  if (known.type != request.type || known.dtype != request.dtype ||
      known.is_source != request.is_source) {
    return unknown;
  }
  if (known.shape != request.shape && !request.shape_may_change) return unknown;
  return known.source_rank;
}

void CachingResolver::Remember(const CollectiveRequest& request,
                               int source_rank) {
  const InstanceKey key{request.device.name, request.group_key,
                        request.instance_key};
  MutexLock lock(mutex_);
  const Instance known{.type = request.type,
                       .dtype = request.dtype,
                       .shape = request.shape,
                       .is_source = request.is_source,
                       .source_rank = source_rank};
  if (!instances_.insert_or_assign(key, known).second) return;
  by_age_.push_back(key);
  if (by_age_.size() <= kMaxInstances) return;
  instances_.erase(by_age_.front());
  by_age_.pop_front();
}

std::vector<std::shared_ptr<const CollectiveGroup>> CachingResolver::Groups()
    const {
  std::vector<Group> groups;
  MutexLock lock(mutex_);
  for (const auto& [key, group] : groups_) groups.push_back(group);
  return groups;
}

void CachingResolver::ForgetInstances() {
  MutexLock lock(mutex_);
  instances_.clear();
  by_age_.clear();
}

void CachingResolver::ForgetLost(const CollectiveGroup& group) {
  MutexLock lock(mutex_);
  const auto found = groups_.find(group.key);
  if (found == groups_.end() || found->second->id != group.id) return;
  groups_.erase(found);
  lost_[group.key] = group.id;
}

}  // namespace leat
