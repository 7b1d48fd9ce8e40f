// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/collectives/caching_resolver.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Returns an error if the leader has answered with another group than the
// member has asked for.
absl::Status CheckGroup(const CollectiveRequest& request,
                        const CollectiveGroup& group) {
  if (group.size() == request.group_size) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the leader has answered with a group of ", group.size(),
                   " members, but the group has ", request.group_size,
                   " (group_key=", request.group_key, ")"));
}

// Returns an error if no member with that rank can be the sender.
absl::Status CheckSource(const CollectiveRequest& request,
                         const ResolvedCollective& member, int source_rank) {
  if (request.type != CollectiveType::kBroadcast) return absl::OkStatus();
  if (source_rank >= 0 && source_rank < member.group->size() &&
      (source_rank == member.rank) == request.is_source) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(
      "the leader has answered that member ", source_rank, " of ",
      member.group->size(), " is the source of the collective instance ",
      request.instance_key, ", which member ", member.rank, " cannot believe"));
}

// A WatchedClaim is a claim that waits for the other members. It ends when the
// caller cancels it or a member is lost.
struct WatchedClaim {
  // Cancels the claim.
  std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();
  std::shared_ptr<Cancellation> caller = {};
  Cancellation::Token token = -1;  // of `caller`
  std::shared_ptr<void> watch = {};

  // Returns the answer of a claim that has ended.
  absl::StatusOr<int> End(absl::StatusOr<int> claimed) {
    caller->Deregister(token);
    watch = nullptr;
    const bool is_cancelled = !claimed.ok() && cancellation->IsCancelled();
    return is_cancelled ? cancellation->status() : std::move(claimed);
  }
};

}  // namespace

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
  const absl::Status loss = TakeLoss(join);
  if (!loss.ok()) return std::move(done)(loss);
  JoinGroup(std::move(join), cancellation,
            [self = shared_from_this(), request, cancellation,
             done = std::move(done)](absl::StatusOr<Group> group) mutable {
              absl::Status status = group.status();
              if (status.ok()) status = CheckGroup(request, **group);
              if (!status.ok()) return std::move(done)(status);
              {
                MutexLock lock(self->mutex_);
                self->groups_[request.group_key] = {.group = *group};
                self->lost_.erase(request.group_key);
              }
              self->ResolveInstance(request, *group, std::move(cancellation),
                                    std::move(done));
            });
}

CachingResolver::Group CachingResolver::FindGroup(
    const CollectiveRequest& request) {
  MutexLock lock(mutex_);
  const auto found = groups_.find(request.group_key);
  if (found == groups_.end()) return nullptr;
  KnownGroup& known = found->second;
  known.has_failed = false;
  const bool fits = !known.is_outdated &&
                    known.group->size() == request.group_size &&
                    known.group->RankOf(request.device.name).has_value();
  return fits ? known.group : nullptr;
}

absl::Status CachingResolver::TakeLoss(GroupJoin& join) {
  MutexLock lock(mutex_);
  const auto lost = lost_.find(join.key);
  if (lost == lost_.end()) return absl::OkStatus();
  join.lost_id = lost->second.id;
  return std::exchange(lost->second.untold, absl::OkStatus());
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
  const absl::StatusOr<int> source = FindSource(request, *group);
  if (source.ok()) {
    member.source_rank = *source;
    return std::move(done)(std::move(member));
  }
  if (!absl::IsNotFound(source.status())) {
    return std::move(done)(source.status());
  }
  Claim(request, group, std::move(cancellation),
        [self = shared_from_this(), request, member = std::move(member),
         done = std::move(done)](absl::StatusOr<int> claimed) mutable {
          absl::Status status = claimed.status();
          if (absl::IsFailedPrecondition(status)) {
            self->JoinAgain(*member.group);
          }
          if (status.ok()) status = CheckSource(request, member, *claimed);
          if (!status.ok()) return std::move(done)(status);
          self->Remember(request, *member.group, *claimed);
          member.source_rank = *claimed;
          std::move(done)(std::move(member));
        });
}

void CachingResolver::Claim(const CollectiveRequest& request,
                            const Group& group,
                            std::shared_ptr<Cancellation> cancellation,
                            InstanceTable::Done done) {
  if (request.type != CollectiveType::kBroadcast) {
    return ClaimInstance(request, *group, std::move(cancellation),
                         std::move(done));
  }
  const auto claim = std::make_shared<WatchedClaim>();
  claim->caller = std::move(cancellation);
  const auto cancel = [ended = claim->cancellation](const absl::Status& why) {
    ended->Cancel(why);
  };
  if (!claim->caller->Register(cancel, &claim->token)) {
    return std::move(done)(claim->caller->status());
  }
  claim->watch = Watch(group, cancel);
  ClaimInstance(
      request, *group, claim->cancellation,
      [claim, done = std::move(done)](absl::StatusOr<int> claimed) mutable {
        std::move(done)(claim->End(std::move(claimed)));
      });
}

absl::StatusOr<int> CachingResolver::FindSource(
    const CollectiveRequest& request, const CollectiveGroup& group) const {
  const absl::Status unknown = absl::NotFoundError("");
  MutexLock lock(mutex_);
  const auto found = instances_.find(
      {request.device.name, request.group_key, request.instance_key});
  if (found == instances_.end()) return unknown;
  const Instance& known = found->second;
  // The leader finds the words for what differs.
  if (known.group_id != group.id || known.type != request.type ||
      known.dtype != request.dtype || known.is_source != request.is_source) {
    return unknown;
  }
  if (known.shape != request.shape && !request.shape_may_change) return unknown;
  return known.source_rank;
}

void CachingResolver::Remember(const CollectiveRequest& request,
                               const CollectiveGroup& group, int source_rank) {
  const InstanceKey key{request.device.name, request.group_key,
                        request.instance_key};
  MutexLock lock(mutex_);
  const Instance known{.group_id = group.id,
                       .type = request.type,
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
  for (const auto& [key, known] : groups_) groups.push_back(known.group);
  return groups;
}

void CachingResolver::ForgetInstances() {
  MutexLock lock(mutex_);
  instances_.clear();
  by_age_.clear();
}

void CachingResolver::StepHasFailed() {
  {
    MutexLock lock(mutex_);
    for (auto& [key, known] : groups_) known.has_failed = true;
    for (auto& [key, lost] : lost_) lost.untold = absl::OkStatus();
  }
  ForgetInstances();
}

void CachingResolver::JoinAgain(const CollectiveGroup& group) {
  MutexLock lock(mutex_);
  const auto found = groups_.find(group.key);
  if (found == groups_.end() || found->second.group->id != group.id) return;
  found->second.is_outdated = true;
}

void CachingResolver::ForgetLost(const CollectiveGroup& group,
                                 const absl::Status& why) {
  MutexLock lock(mutex_);
  const auto found = groups_.find(group.key);
  if (found == groups_.end() || found->second.group->id != group.id) return;
  const bool is_told = found->second.has_failed;
  groups_.erase(found);
  lost_[group.key] = {.id = group.id,
                      .untold = is_told ? absl::OkStatus() : why};
}

}  // namespace leat
