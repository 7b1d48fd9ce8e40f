// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FailingAllocations makes allocations of tensor memory fail, as they do when
// no memory is left. A test tries each allocation in turn:
//
//   for (int64_t n = 1;; ++n) {
//     FailingAllocations failing(n, NthFailure::kOnlyOne);
//     const absl::Status status = Run();
//     if (failing.Stop() == 0) break;  // Run makes fewer than n allocations
//     EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
//   }
#ifndef LEAT_TESTS_TESTING_FAILING_ALLOCATIONS_H_
#define LEAT_TESTS_TESTING_FAILING_ALLOCATIONS_H_

#include <cstdint>

#include "leat/tests/testing/nth_failure.h"

namespace leat::testing {

// Counts the allocations of all threads, from construction on, in the order in
// which they occur. Only one object may exist at a time. The object is used by
// one thread.
class FailingAllocations {
 public:
  // Makes allocation number `n` (1, 2, ...) fail, and also all later
  // allocations if `which` is kAllFromThere.
  FailingAllocations(int64_t n, NthFailure::Which which);
  ~FailingAllocations() { Stop(); }
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  // From now on, no allocation fails. Returns how many allocations have failed.
  int64_t Stop();
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_FAILING_ALLOCATIONS_H_
