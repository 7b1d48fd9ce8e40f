// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FailureCount counts the failed expectations of GoogleTest. GoogleTest itself
// prints them.
#ifndef LEAT_TESTS_SOAK_FAILURES_H_
#define LEAT_TESTS_SOAK_FAILURES_H_

#include <atomic>

#include "gtest/gtest.h"

namespace leat::soak {

// Counts failures from its construction on. Add the object to GoogleTest's
// listeners, which then own it. It is thread-safe.
class FailureCount : public ::testing::EmptyTestEventListener {
 public:
  int count() const { return count_; }

 private:
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed()) ++count_;
  }

  std::atomic<int> count_{0};
};

}  // namespace leat::soak

#endif  // LEAT_TESTS_SOAK_FAILURES_H_
