// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FailingCalls lets the system calls of Leat's own code fail, and its threads
// fail to start. The linker replaces these calls in this program
// (tests/CMakeLists.txt), so the calls of shared libraries such as gRPC do not
// change and do not count.
#ifndef LEAT_TESTS_SYSTEM_CALLS_FAILING_CALLS_H_
#define LEAT_TESTS_SYSTEM_CALLS_FAILING_CALLS_H_

#include <cstdint>
#include <string>

#include "leat/tests/testing/nth_failure.h"

namespace leat::testing {

// Calls of all threads count, from construction on, in the order in which they
// come. Only one object may exist at a time. Used by one thread.
class FailingCalls {
 public:
  // Lets call number `n` (1, 2, ...) fail, and also all that follow if `which`
  // is kAllFromThere.
  FailingCalls(int64_t n, NthFailure::Which which);
  ~FailingCalls() { Stop(); }
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;

  // From now on, no call fails. Returns how many have failed.
  int64_t Stop();
  // Returns the name of the first call that has failed, or "".
  static std::string FirstFailed();
  // Returns how many calls of `function` have failed in this process.
  static int64_t NumFailed(const std::string& function);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_SYSTEM_CALLS_FAILING_CALLS_H_
