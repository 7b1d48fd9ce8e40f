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
// time, calls the condition when all other threads wait. If it is false, moves
// the clock to the next deadline and calls the condition again. Aborts the test
// if the condition is false and no thread waits for a deadline. In real time,
// calls the condition every millisecond for at most a minute. Other threads run
// meanwhile, so the condition must be thread-safe. Only programs labelled
// `processes` run in real time.
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
