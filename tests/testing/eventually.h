// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Eventually polls a condition that other threads or processes make true.
//
//   EXPECT_TRUE(Eventually([&] { return num_calls == 3; }));
#ifndef LEAT_TESTS_TESTING_EVENTUALLY_H_
#define LEAT_TESTS_TESTING_EVENTUALLY_H_

#include <chrono>
#include <thread>

namespace leat::testing {

// Calls `condition()` every millisecond until it is true, for at most a minute.
// Returns whether it became true. The condition runs on the calling thread and
// must itself be thread-safe towards those that change its state.
template <class Condition>
bool Eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_EVENTUALLY_H_
