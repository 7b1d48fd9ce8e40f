// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NthFailure decides which of many events fail: the n-th one, or all from the
// n-th one on. FailingAllocations and FailingCalls count their events with it.
#ifndef LEAT_TESTS_TESTING_NTH_FAILURE_H_
#define LEAT_TESTS_TESTING_NTH_FAILURE_H_

#include <atomic>
#include <cstdint>
#include <limits>

namespace leat::testing {

// Is thread-safe, except that only one thread may call Begin and End.
class NthFailure {
 public:
  enum Which { kOnlyOne, kAllFromThere };

  // Counts events from now on. Event number `n` (1, 2, ...) fails, and so do
  // all later events if `which` is kAllFromThere.
  void Begin(int64_t n, Which which) {
    num_events_ = 0;
    num_failed_ = 0;
    last_ = which == kOnlyOne ? n : std::numeric_limits<int64_t>::max();
    first_ = n;
  }
  // From now on, no event fails. Returns how many events have failed since
  // Begin.
  int64_t End() {
    first_ = kNever;
    return num_failed_;
  }

  // Counts an event. Returns true if it must fail.
  bool Fails() {
    if (first_ == kNever) return false;
    const int64_t number = ++num_events_;
    if (number < first_ || number > last_) return false;
    ++num_failed_;
    return true;
  }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  std::atomic<int64_t> first_{kNever};
  std::atomic<int64_t> last_{0};
  std::atomic<int64_t> num_events_{0};
  std::atomic<int64_t> num_failed_{0};
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_NTH_FAILURE_H_
