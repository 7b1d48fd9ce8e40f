// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Clock tells the time and lets a thread wait until a given time. Code with
// deadlines or intervals takes a Clock, so that a test can pass a clock with
// simulated time (leat/tests/testing/simulated_clock.h).
//
//   const Clock::time_point deadline = clock.After(std::chrono::seconds(5));
//   MutexLock lock(mutex);
//   while (!answered) {
//     if (!clock.WaitUntil(changed, mutex, deadline)) break;
//   }
#ifndef LEAT_CORE_THREADS_CLOCK_H_
#define LEAT_CORE_THREADS_CLOCK_H_

#include <chrono>

#include "leat/core/threads/mutex.h"

namespace leat {

// Is a clock that never goes back. Is thread-safe.
class Clock {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  virtual ~Clock() = default;

  virtual time_point Now() const = 0;

  // Unlocks `mutex`, waits until `condition` is notified or `deadline` has
  // passed, and locks `mutex` again. Returns false if the deadline has passed.
  // It may also return true without a notification, so callers must test their
  // condition in a loop. REQUIRES: the caller holds `mutex`.
  virtual bool WaitUntil(CondVar& condition, Mutex& mutex, time_point deadline)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) = 0;

  // Returns the current time plus `time`. If the clock cannot represent the
  // sum, returns time_point::max(), which never comes.
  time_point After(duration time) const;

  // Makes the calling thread wait for `time`. Sleep is virtual because a test's
  // clock may refuse to wait.
  virtual void Sleep(duration time);
};

// Returns the steady clock of this machine.
Clock& RealClock();

}  // namespace leat

#endif  // LEAT_CORE_THREADS_CLOCK_H_
