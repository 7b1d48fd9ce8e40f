// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Eventually waits for a condition that other threads or processes make true.
//
//   EXPECT_TRUE(Eventually([&] { return num_calls == 3; }));
#ifndef LEAT_TESTS_TESTING_EVENTUALLY_H_
#define LEAT_TESTS_TESTING_EVENTUALLY_H_

#include <chrono>

#include "leat/tests/testing/simulated_clock.h"

namespace leat::testing {

// Waits until `condition()` is true and returns whether it is. In simulated
// time the condition is called while all other threads wait, after each of
// their deadlines, and the test is aborted if the condition can never become
// true. In real time, which only programs labelled `processes` have, the
// condition is called every millisecond for at most a minute, while other
// threads may change what it reads. So it must be thread-safe.
template <class Condition>
bool Eventually(Condition condition) {
  if (SimulatedClock* const clock = SimulatedClock::Current()) {
    clock->AdvanceUntil(condition);
    return true;
  }
  CheckMaySleep();
  const Clock::time_point end = RealClock().After(std::chrono::minutes(1));
  while (!condition()) {
    if (RealClock().Now() > end) return false;
    RealClock().Sleep(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_EVENTUALLY_H_
