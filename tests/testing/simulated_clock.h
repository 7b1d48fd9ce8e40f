// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SimulatedClock gives a test a time of its own, which moves only when every
// thread waits, and then at once to the next time for which one of them waits.
// So a test takes no time, and no thread that the machine delays can fail it.
//
//   SimulatedClock clock;
//   TimerQueue timers("timers");
//   timers.At(DeadlineAfter(std::chrono::hours(1)), [&] { ++calls; });
//   Advance(std::chrono::minutes(59));
//   EXPECT_EQ(calls, 0);
//   Advance(std::chrono::minutes(1));
//   EXPECT_EQ(calls, 1);
//
// Settle, Advance and AdvanceUntil also work in a test that has no
// SimulatedClock, because it runs in real time for the sake of sockets. There
// they take time and are not exact.
#ifndef LEAT_TESTS_TESTING_SIMULATED_CLOCK_H_
#define LEAT_TESTS_TESTING_SIMULATED_CLOCK_H_

#include <chrono>
#include <memory>

#include "absl/functional/function_ref.h"

namespace leat::testing {

class Simulation;

// Simulates the time of the process from construction to destruction, for the
// calling thread and all that are started as a Thread from then on. To be used
// by one thread. REQUIRES: there is no other one, and all those threads have
// ended when this is destroyed.
//
// Ends the process, with the names of the threads, if all of them wait and none
// for a time, if more than 100 days go by, and if another thread takes part.
class SimulatedClock {
 public:
  SimulatedClock();
  ~SimulatedClock();

 private:
  const std::unique_ptr<Simulation> simulation_;
};

// Lets a test that has a SimulatedClock run in real time from construction to
// destruction, because something in it computes until its time is up. To be
// used by one thread. REQUIRES: there is no other Thread at either time.
class RealTime {
 public:
  RealTime();
  ~RealTime();
  RealTime(const RealTime&) = delete;
  RealTime& operator=(const RealTime&) = delete;

 private:
  Simulation* const suspended_;  // null if there was none
};

// Waits until every other thread waits: all that can happen now has happened.
// In real time, waits a moment.
void Settle();

// Lets `time` go by. What is to happen until then, and then, has happened when
// this returns.
void Advance(std::chrono::nanoseconds time);

// Lets time go by, for `limit` at most, until `condition` is true. It is asked
// whenever every other thread waits. Returns whether it became true. Returns
// false at once if no thread waits for a time within `limit`.
bool AdvanceUntil(absl::FunctionRef<bool()> condition,
                  std::chrono::nanoseconds limit = std::chrono::minutes(1));

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_SIMULATED_CLOCK_H_
