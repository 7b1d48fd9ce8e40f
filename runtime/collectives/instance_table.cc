// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/collectives/instance_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {

void InstanceTable::Claim(const InstanceClaim& claim,
                          std::shared_ptr<Cancellation> cancellation,
                          Done done) {
  const std::optional<int> rank = group_->RankOf(claim.device);
  if (!rank.has_value()) {
    return std::move(done)(absl::InvalidArgumentError(absl::StrCat(
        "Device ", claim.device,
        " is not a member of the group with group_key=", group_->key)));
  }
  if (cancellation->IsCancelled()) {
    return std::move(done)(cancellation->status());
  }
  std::vector<Waiter> waiters;
  std::vector<Waiter> aborted;
  absl::StatusOr<int> result = -1;
  {
    MutexLock lock(mutex_);
    if (closed_.ok()) {
      result = ClaimNow(claim, *rank, std::move(cancellation), done, waiters,
                        aborted);
    } else {
      result = closed_;
    }
  }
  if (done != nullptr) std::move(done)(result);
  Answer(std::move(waiters), result);
  Answer(std::move(aborted),
         absl::AbortedError(absl::StrCat(
             "Collective instance ", claim.instance_key, " is another one at ",
             claim.device, " than before. All members claim it anew.")));
}

absl::StatusOr<int> InstanceTable::ClaimNow(
    const InstanceClaim& claim, int rank,
    std::shared_ptr<Cancellation> cancellation, Done& done,
    std::vector<Waiter>& waiters, std::vector<Waiter>& aborted) {
  const Key key{claim.step_id, claim.instance_key};
  Instance& instance = FindOrAdd(claim, rank, aborted);
  absl::Status status = Compare(claim, instance.first);
  if (status.ok()) status = Count(claim, rank, instance);
  if (status.ok() && claim.type == CollectiveType::kBroadcast &&
      instance.num_known < group_->size()) {
    status = Wait(claim, rank, std::move(cancellation), done, instance);
    if (!status.ok()) UncountUnlessWaiting(key, rank);
    return status.ok() ? absl::StatusOr<int>(-1) : status;
  }
  waiters.swap(instance.waiters);
  if (status.ok()) return instance.source_rank;
  if (instance.num_known == group_->size()) instances_.erase(key);
  return status;
}

void InstanceTable::Close(const absl::Status& why) {
  std::vector<Waiter> waiters;
  {
    MutexLock lock(mutex_);
    closed_ = why;
    for (auto& [key, instance] : instances_) {
      for (Waiter& waiter : instance.waiters) {
        waiters.push_back(std::move(waiter));
      }
    }
    instances_.clear();
    by_age_.clear();
  }
  Answer(std::move(waiters), why);
}

absl::Status InstanceTable::Wait(const InstanceClaim& claim, int rank,
                                 std::shared_ptr<Cancellation> cancellation,
                                 Done& done, Instance& instance) {
  Waiter waiter{.id = next_waiter_++,
                .rank = rank,
                .cancellation = std::move(cancellation)};
  const bool registered = waiter.cancellation->Register(
      [weak = weak_from_this(), key = Key(claim.step_id, claim.instance_key),
       id = waiter.id](const absl::Status& why) {
        if (const auto self = weak.lock()) self->Cancel(key, id, why);
      },
      &waiter.token);
  if (!registered) return waiter.cancellation->status();
  waiter.done = std::exchange(done, nullptr);
  instance.waiters.push_back(std::move(waiter));
  return absl::OkStatus();
}

InstanceTable::Instance& InstanceTable::FindOrAdd(
    const InstanceClaim& claim, int rank, std::vector<Waiter>& aborted) {
  const Key key{claim.step_id, claim.instance_key};
  Instance added{.first = claim,
                 .known = std::vector<bool>(group_->members.size())};
  added.first.device.clear();
  const auto found = instances_.find(key);
  if (found != instances_.end()) {
    Instance& instance = found->second;
    const bool was_source = instance.source_rank == rank;
    if (instance.known[static_cast<size_t>(rank)] &&
        (!Compare(claim, instance.first).ok() ||
         was_source != claim.is_source)) {
      aborted.swap(instance.waiters);
      instance = std::move(added);
    }
    return instance;
  }
  by_age_.push_back(key);
  if (by_age_.size() > kMaxInstances) {
    const auto oldest = instances_.find(by_age_.front());
    if (oldest != instances_.end() && oldest->second.waiters.empty()) {
      instances_.erase(oldest);
    }
    by_age_.pop_front();
  }
  return instances_[key] = std::move(added);
}

absl::Status InstanceTable::Compare(const InstanceClaim& claim,
                                    const InstanceClaim& first) const {
  if (claim.type != first.type || claim.dtype != first.dtype) {
    return absl::InternalError(
        absl::StrCat("Collective instance ", claim.instance_key,
                     " expected type ", static_cast<int>(first.type),
                     " and data_type ", static_cast<int>(first.dtype),
                     " but got type ", static_cast<int>(claim.type),
                     " and data_type ", static_cast<int>(claim.dtype)));
  }
  if (claim.shape == first.shape) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Shape mismatch in the collective instance ", claim.instance_key,
      ". Op at device ", claim.device, " expected shape ",
      claim.shape.DebugString(),
      " but another member in the group expected shape ",
      first.shape.DebugString(),
      ". This is likely due to different input shapes at different members of "
      "the collective op."));
}

absl::Status InstanceTable::Count(const InstanceClaim& claim, int rank,
                                  Instance& instance) const {
  if (instance.known[static_cast<size_t>(rank)]) return absl::OkStatus();
  if (claim.is_source && instance.source_rank >= 0) {
    return absl::InternalError(absl::StrCat(
        "Instance ", claim.instance_key, " already has source ",
        instance.source_rank, ", received second claim from ", rank));
  }
  instance.known[static_cast<size_t>(rank)] = true;
  ++instance.num_known;
  if (claim.is_source) instance.source_rank = rank;
  if (claim.type != CollectiveType::kBroadcast ||
      instance.num_known < group_->size() || instance.source_rank >= 0) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat(
      "Instance ", claim.instance_key,
      " found no source for broadcast.  This could mean that there were "
      "group_size=",
      instance.num_known, " BcastRecvs but no BcastSend."));
}

void InstanceTable::Cancel(const Key& key, int64_t waiter,
                           const absl::Status& why) {
  Done done;
  {
    MutexLock lock(mutex_);
    const auto found = instances_.find(key);
    if (found == instances_.end()) return;
    Instance& instance = found->second;
    const auto place =
        std::find_if(instance.waiters.begin(), instance.waiters.end(),
                     [waiter](const Waiter& w) { return w.id == waiter; });
    if (place == instance.waiters.end()) return;
    done = std::move(place->done);
    const int rank = place->rank;
    instance.waiters.erase(place);
    UncountUnlessWaiting(key, rank);
  }
  std::move(done)(why);
}

void InstanceTable::UncountUnlessWaiting(const Key& key, int rank) {
  const auto found = instances_.find(key);
  if (found == instances_.end()) return;
  Instance& instance = found->second;
  const auto waits = [rank](const Waiter& waiter) {
    return waiter.rank == rank;
  };
  if (std::any_of(instance.waiters.begin(), instance.waiters.end(), waits)) {
    return;
  }
  instance.known[static_cast<size_t>(rank)] = false;
  --instance.num_known;
  if (instance.source_rank == rank) instance.source_rank = -1;
  if (instance.waiters.empty()) instances_.erase(found);
}

void InstanceTable::Answer(std::vector<Waiter> waiters,
                           const absl::StatusOr<int>& result) {
  for (Waiter& waiter : waiters) {
    waiter.cancellation->Deregister(waiter.token);
    std::move(waiter.done)(result);
  }
}

}  // namespace leat
