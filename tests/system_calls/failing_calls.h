// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FailingCalls makes the system calls of Leat's own code fail. It also makes
// the attempts of this code to start threads fail. The linker replaces these
// calls in this program (tests/CMakeLists.txt), so the calls of shared
// libraries such as gRPC do not change and do not count.
#ifndef LEAT_TESTS_SYSTEM_CALLS_FAILING_CALLS_H_
#define LEAT_TESTS_SYSTEM_CALLS_FAILING_CALLS_H_

#include <cstdint>
#include <string>

#include "leat/tests/testing/nth_failure.h"

namespace leat::testing {

// Counts the calls of all threads, from construction on, in the order in which
// they occur. Only one object may exist at a time. The object is used by one
// thread.
class FailingCalls {
 public:
  // Makes call number `n` (1, 2, ...) fail, and also all later calls if `which`
  // is kAllFromThere.
  FailingCalls(int64_t n, NthFailure::Which which);
  ~FailingCalls() { Stop(); }
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;

  // From now on, no call fails. Returns how many calls have failed.
  int64_t Stop();
  // Returns the name of the first call that has failed, or "" if none has
  // failed.
  static std::string FirstFailed();
  // Returns how many calls of `function` have failed in this process.
  static int64_t NumFailed(const std::string& function);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_SYSTEM_CALLS_FAILING_CALLS_H_
