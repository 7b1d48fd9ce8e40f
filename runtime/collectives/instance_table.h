// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// InstanceTable knows the collectives of one group. Each member says once which
// collective it wants to take part in; the table checks that all want the same,
// and finds out who sends in a broadcast.
#ifndef LEAT_RUNTIME_COLLECTIVES_INSTANCE_TABLE_H_
#define LEAT_RUNTIME_COLLECTIVES_INSTANCE_TABLE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/collective_resolver.h"

namespace leat {

// Says what a member claims about a collective.
struct InstanceClaim {
  CollectiveType type = CollectiveType::kReduction;
  int32_t instance_key = 0;
  // Is 0, or the step to which a task of TensorFlow restricts the collective.
  int64_t step_id = 0;
  DType dtype = DType::kInvalid;
  Shape shape = {};
  std::string device = {};  // of the member
  bool is_source = false;
};

// Is thread-safe. Is owned by a shared_ptr. The cancellations of members that
// wait have weak references.
class InstanceTable : public std::enable_shared_from_this<InstanceTable> {
 public:
  // Limits the collectives that are remembered. The oldest ones are forgotten
  // first; their members may claim them again.
  static constexpr size_t kMaxInstances = 200'000;

  // Gets the rank of the sender of a broadcast, or -1 for another collective.
  using Done = absl::AnyInvocable<void(absl::StatusOr<int>) &&>;

  explicit InstanceTable(std::shared_ptr<const CollectiveGroup> group)
      : group_(std::move(group)) {}

  // Calls `done` exactly once. In a broadcast this is when all members have
  // made their claims or `cancellation` is cancelled. `done` gets, with
  // TensorFlow's texts,
  // - INTERNAL if the types differ from those of an earlier claim, or if a
  //   broadcast has no sender or two;
  // - INVALID_ARGUMENT if the shape differs, or if the device is no member;
  // - ABORTED if another member claims a collective for the second time, and it
  //   is another one. All members then have to claim it anew;
  // - the status of Close.
  void Claim(const InstanceClaim& claim,
             std::shared_ptr<Cancellation> cancellation, Done done);

  // Is called when the group does not exist any more. All who wait, and all who
  // make a claim later, get `why` (not OK). Must not be called under a lock
  // that a `done` takes.
  void Close(const absl::Status& why);

 private:
  using Key = std::pair<int64_t, int32_t>;  // step and instance

  // Describes a member that waits for the others.
  struct Waiter {
    int64_t id = 0;
    int rank = 0;
    std::shared_ptr<Cancellation> cancellation = {};
    Cancellation::Token token = -1;
    Done done = {};
  };
  struct Instance {
    InstanceClaim first = {};      // without the device
    std::vector<bool> known = {};  // by rank: who has made its claim
    int num_known = 0;
    int source_rank = -1;
    std::vector<Waiter> waiters = {};
  };

  // Does what Claim does under the lock. Takes `done` if the member waits.
  // Otherwise returns its result, which those in `waiters` get, too.
  absl::StatusOr<int> ClaimNow(const InstanceClaim& claim, int rank,
                               std::shared_ptr<Cancellation> cancellation,
                               Done& done, std::vector<Waiter>& waiters,
                               std::vector<Waiter>& aborted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the instance of the claim. Adds it if it is new, or if the member
  // has claimed another one before; those who wait for that are moved to
  // `aborted`.
  Instance& FindOrAdd(const InstanceClaim& claim, int rank,
                      std::vector<Waiter>& aborted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lets a member wait, and takes `done`. Returns an error if it cannot wait.
  absl::Status Wait(const InstanceClaim& claim, int rank,
                    std::shared_ptr<Cancellation> cancellation, Done& done,
                    Instance& instance) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns an error if the claim contradicts the first one.
  absl::Status Compare(const InstanceClaim& claim,
                       const InstanceClaim& first) const;
  // Counts a member. In a broadcast, returns an error if there are two senders,
  // or if all members are known and nobody sends.
  absl::Status Count(const InstanceClaim& claim, int rank,
                     Instance& instance) const;
  // Is called when a member that waits is cancelled.
  void Cancel(const Key& key, int64_t waiter, const absl::Status& why);
  // Forgets that the member has made its claim, unless it waits. Forgets an
  // instance for which nobody waits.
  void UncountUnlessWaiting(const Key& key, int rank)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Answer(std::vector<Waiter> waiters,
                     const absl::StatusOr<int>& result);

  const std::shared_ptr<const CollectiveGroup> group_;

  Mutex mutex_;
  absl::Status closed_ ABSL_GUARDED_BY(mutex_);  // OK until Close
  int64_t next_waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<Key, Instance> instances_ ABSL_GUARDED_BY(mutex_);
  std::deque<Key> by_age_ ABSL_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace leat

#endif  // LEAT_RUNTIME_COLLECTIVES_INSTANCE_TABLE_H_
