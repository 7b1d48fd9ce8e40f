// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// InProcessFaults: what a bad network does to the calls of an InProcessNetwork:
// loses, delays, doubles and reorders them. For tests.
//
// What happens to a call is decided by a hash of the seed, the method, who
// calls whom, the step (by the number of steps seen before) and the tensor, or
// the place of the chunk, that is asked for, not by the order of arrival: where
// steps come one after another, a seed does the same each time. (Chunks of two
// tensors of a step that have the same place and length are told apart by their
// order alone: the ids of transfers are random.) Thread-safe.
#ifndef LEAT_DISTRIBUTED_IN_PROCESS_FAULTS_H_
#define LEAT_DISTRIBUTED_IN_PROCESS_FAULTS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"

namespace leat {

// How likely each fault is, from 0 to 1. A call that is lost has no other one.
struct FaultPlan {
  uint64_t seed = 0;
  double drop = 0;
  double duplicate = 0;
  double delay = 0;
  double reorder = 0;
  // Of a request, of a reply, of what arrives a second time.
  std::chrono::microseconds max_delay = std::chrono::milliseconds(10);
};

// What happens to one call.
struct CallFate {
  // Its request does not reach the callee.
  bool is_lost = false;
  // After so long both ends lose the call: its caller gets UNAVAILABLE, its
  // handler is cancelled. Whatever the handler replies does not arrive.
  std::optional<std::chrono::microseconds> lost_after = {};
  // It then arrives also when its caller has given up meanwhile.
  std::chrono::microseconds request_delay = {};
  std::chrono::microseconds reply_delay = {};
  // So long after it has arrived the request arrives again; nobody hears what
  // comes of that.
  std::optional<std::chrono::microseconds> again_after = {};
  // The next call of the same two goes first, if one comes in `max_delay`; as
  // with a delay it arrives in any case.
  bool is_overtaken = false;
};

class InProcessFaults {
 public:
  struct Counts {
    size_t calls = 0;
    size_t lost_requests = 0;
    size_t lost_replies = 0;
    size_t delayed = 0;
    size_t doubled = 0;
    size_t overtaken = 0;
  };

  explicit InProcessFaults(const FaultPlan& plan) : plan_(plan) {}

  const FaultPlan& plan() const { return plan_; }

  // `caller` and `callee`: names that are the same each time. `header`: of the
  // request.
  CallFate FateOf(absl::string_view caller, absl::string_view callee,
                  absl::string_view method, absl::string_view header);

  // Nothing happens to calls that begin while it is not enabled; it is at
  // first.
  void SetEnabled(bool is_enabled);

  // Of all calls, or of those of one method.
  Counts counts() const;
  Counts counts(absl::string_view method) const;

 private:
  // The hash of all that tells a call from others of the seed.
  uint64_t Identity(absl::string_view caller, absl::string_view callee,
                    absl::string_view method, absl::string_view header)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const FaultPlan plan_;
  mutable Mutex mutex_;
  bool is_enabled_ ABSL_GUARDED_BY(mutex_) = true;
  // The number of a step, by its id.
  absl::flat_hash_map<int64_t, uint64_t> steps_ ABSL_GUARDED_BY(mutex_);
  // How often a call was made that nothing else tells apart.
  absl::flat_hash_map<uint64_t, uint64_t> calls_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Counts> counts_
      ABSL_GUARDED_BY(mutex_);  // by method
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_IN_PROCESS_FAULTS_H_
