// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Eventually: waits until something that other threads or processes do holds.
#ifndef LEAT_TESTS_TESTING_EVENTUALLY_H_
#define LEAT_TESTS_TESTING_EVENTUALLY_H_

#include <chrono>
#include <thread>

namespace leat::testing {

// Asks again and again, for a minute at most, and returns whether `condition()`
// became true.
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
