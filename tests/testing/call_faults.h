// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CallFaults decides which calls are lost, delayed, duplicated or reordered, as
// in a bad network. A FaultyTransport applies these decisions to the calls.
//
// A hash decides what happens to a call. The hash is made of the seed, the
// method, the caller, the callee, the number of the step (1 for the first step
// that was seen), and the tensor or the place of the chunk that the call asks
// for. The time at which the call arrives has no influence. So if steps run one
// after another, the same seed gives the same faults in every run.
//
// A count of the equal calls so far is also part of the hash. It tells apart
// two chunks of one step that belong to different tensors but have the same
// place and length. (The ids of their transfers cannot do that, because they
// are random.)
#ifndef LEAT_TESTS_TESTING_CALL_FAULTS_H_
#define LEAT_TESTS_TESTING_CALL_FAULTS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/mutex.h"

namespace leat::testing {

// Holds the probability of each fault for a call, from 0 to 1. A call that is
// lost has no other fault.
struct FaultPlan {
  uint64_t seed = 0;
  double drop = 0;       // the request or the reply is lost
  double duplicate = 0;  // the request arrives twice
  double delay = 0;
  double reorder = 0;
  // Is the longest delay of a request, of a reply, and of a request's second
  // arrival.
  std::chrono::microseconds max_delay = std::chrono::milliseconds(10);
};

// Describes what happens to one call.
struct CallFate {
  // The request does not reach the callee.
  bool is_lost = false;
  // After this time both ends notice that the call is lost. Its caller gets
  // UNAVAILABLE, and its handler is cancelled. A reply of the handler does not
  // arrive. Has no value if the call is not lost.
  std::optional<std::chrono::microseconds> lost_after = {};
  // A delayed request arrives even if its caller has given up meanwhile.
  std::chrono::microseconds request_delay = {};
  std::chrono::microseconds reply_delay = {};
  // The request is sent a second time this long after the first time. The reply
  // to the second request is dropped.
  std::optional<std::chrono::microseconds> again_after = {};
  // The next call of the same caller to the same callee overtakes this call, if
  // the next call is made within `max_delay`. Like a delayed request, a request
  // that was overtaken arrives even if its caller has given up.
  bool is_overtaken = false;
};

// Is thread-safe. Is shared by the transports and the test.
class CallFaults {
 public:
  // Holds the number of calls, and the number of calls that had each fault.
  struct Counts {
    size_t calls = 0;
    size_t lost_requests = 0;
    size_t lost_replies = 0;
    size_t delayed = 0;
    size_t doubled = 0;
    size_t overtaken = 0;
  };

  // Faults are enabled at first.
  explicit CallFaults(const FaultPlan& plan) : plan_(plan) {}

  const FaultPlan& plan() const { return plan_; }

  // Decides what happens to a call, and counts it. `caller` and `callee` are
  // names that are the same in every run of the test. `header` is the header of
  // the request.
  CallFate FateOf(absl::string_view caller, absl::string_view callee,
                  absl::string_view method, absl::string_view header);

  // Returns a new name for a caller that does not listen: "client 1" and so on.
  std::string NewClientName();

  // Enables or disables faults for calls that begin from now on. Calls that
  // begin while faults are disabled are not counted.
  void SetEnabled(bool is_enabled);

  // counts() returns the counts of all calls. counts(method) returns the counts
  // of the calls of `method`.
  Counts counts() const;
  Counts counts(absl::string_view method) const;

 private:
  // Returns a hash of the call. The fate of the call depends on this hash.
  // Counts the call in `calls_`.
  uint64_t Identity(absl::string_view caller, absl::string_view callee,
                    absl::string_view method, absl::string_view header)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const FaultPlan plan_;
  mutable Mutex mutex_;
  bool is_enabled_ ABSL_GUARDED_BY(mutex_) = true;
  int num_clients_ ABSL_GUARDED_BY(mutex_) = 0;
  // Maps the id of each step to its number. Steps are numbered in the order in
  // which they are first seen.
  absl::flat_hash_map<int64_t, uint64_t> steps_ ABSL_GUARDED_BY(mutex_);
  // Counts how many calls have had each hash. The count distinguishes calls
  // that are otherwise equal.
  absl::flat_hash_map<uint64_t, uint64_t> calls_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Counts> counts_
      ABSL_GUARDED_BY(mutex_);  // the key is the method
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_CALL_FAULTS_H_
