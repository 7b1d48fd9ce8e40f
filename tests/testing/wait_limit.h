// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WaitLimit returns the time until which a test waits for something that must
// happen.
//
//   while (!is_set && changed.WaitUntil(mutex, WaitLimit())) {
//   }
#ifndef LEAT_TESTS_TESTING_WAIT_LIMIT_H_
#define LEAT_TESTS_TESTING_WAIT_LIMIT_H_

#include <chrono>

#include "leat/core/threads/clock.h"
#include "leat/core/threads/simulation.h"

namespace leat::testing {

// Returns the time that is a minute from now. In a simulation there is no
// limit: the simulation itself notices if all threads wait for something that
// cannot happen.
inline Clock::time_point WaitLimit() {
  return Simulation::Active() != nullptr
             ? Clock::time_point::max()
             : RealClock().After(std::chrono::minutes(1));
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_WAIT_LIMIT_H_
