// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Awaited is a value that one thread sets once and that another thread waits
// for.
//
//   Awaited<absl::Status> status;
//   session->Start([&](absl::Status s) { status.Set(std::move(s)); });
//   EXPECT_EQ(status.Take(), absl::OkStatus());
#ifndef LEAT_TESTS_TESTING_AWAITED_H_
#define LEAT_TESTS_TESTING_AWAITED_H_

#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/tests/testing/event.h"

namespace leat::testing {

// Is thread-safe.
template <class T>
class Awaited {
 public:
  // Sets the value. Must be called only once.
  void Set(T value) {
    {
      MutexLock lock(mutex_);
      EXPECT_FALSE(value_.has_value());
      value_ = std::move(value);
    }
    is_set_.Set();
  }
  // Returns whether Set was called.
  bool IsSet() { return is_set_.IsSet(); }
  // Waits for the value and returns it. If there is no value by the WaitLimit,
  // fails the test and returns T(). Must be called only once.
  T Take() {
    EXPECT_TRUE(is_set_.Wait());
    MutexLock lock(mutex_);
    return value_.has_value() ? *std::move(value_) : T();
  }

 private:
  Event is_set_;
  Mutex mutex_;
  std::optional<T> value_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_AWAITED_H_
