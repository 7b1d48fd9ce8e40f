// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Clock tells the time by which deadlines, timers and intervals go. In a
// program it is std::chrono::steady_clock. A test may replace it by a simulated
// time, which moves only when every thread waits
// (core/threads/time_simulation.h).
//
//   const Clock::time_point deadline = DeadlineAfter(std::chrono::seconds(1));
//   while (Clock::now() < deadline) SleepFor(std::chrono::milliseconds(10));
#ifndef LEAT_CORE_THREADS_CLOCK_H_
#define LEAT_CORE_THREADS_CLOCK_H_

#include <algorithm>
#include <chrono>
#include <optional>

#include "leat/core/threads/time_simulation.h"

namespace leat {

// A clock in the sense of std::chrono, hence the name of `now`. Thread-safe.
struct Clock {
  using time_point = std::chrono::steady_clock::time_point;
  using duration = time_point::duration;
  using rep = duration::rep;
  using period = duration::period;
  static constexpr bool is_steady = true;

  static time_point now() {
    TimeSimulation* const simulation = TimeSimulation::Get();
    return simulation == nullptr ? std::chrono::steady_clock::now()
                                 : simulation->Now();
  }
};

// Returns the time point that is `time` from now, or nothing if the clock
// cannot represent it. A negative `time` counts as 0.
inline std::optional<Clock::time_point> FiniteDeadlineAfter(
    std::chrono::nanoseconds time) {
  const Clock::time_point now = Clock::now();
  if (time > Clock::time_point::max() - now) return std::nullopt;
  return now + std::max(time, std::chrono::nanoseconds(0));
}

// Does the same, but returns the largest time point instead of nothing.
inline Clock::time_point DeadlineAfter(std::chrono::nanoseconds time) {
  return FiniteDeadlineAfter(time).value_or(Clock::time_point::max());
}

// Lets this thread wait until `time`.
void SleepUntil(Clock::time_point time);
// Lets this thread wait for `time`.
inline void SleepFor(std::chrono::nanoseconds time) {
  SleepUntil(DeadlineAfter(time));
}

}  // namespace leat

#endif  // LEAT_CORE_THREADS_CLOCK_H_
