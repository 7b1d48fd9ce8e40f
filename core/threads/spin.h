// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IdleSpin and SpinUntil let a thread poll for a short time before it sleeps.
// Waking a thread takes long: on a virtual machine it takes as long as running
// an op. A step has hundreds of short pauses.
#ifndef LEAT_CORE_THREADS_SPIN_H_
#define LEAT_CORE_THREADS_SPIN_H_

#include <sched.h>
#include <xmmintrin.h>

#include <chrono>

#include "leat/core/threads/simulation.h"

namespace leat {

// Polls a condition while no other thread needs the core. Between two polls it
// yields, so that the scheduler lets all other runnable threads go first. If
// there are more such threads than cores, a yield takes milliseconds, and a
// thread that slept would have been woken sooner. Therefore a long yield ends
// the spinning, and the thread does not spin again for a while. Is not
// thread-safe: each thread has its own IdleSpin.
class IdleSpin {
 public:
  // Is the longest time to spin.
  static constexpr std::chrono::microseconds kLongest{500};
  // A yield that takes longer than this shows that there are too few cores. The
  // value is longer than the computation of a small step, and shorter than a
  // time slice of the scheduler, 3 ms.
  static constexpr std::chrono::milliseconds kLongYield{1};
  // Is the time after a long yield in which the thread does not spin.
  static constexpr std::chrono::milliseconds kRest{20};

  // Returns true as soon as `ready()` returns true. Returns false after
  // kLongest or after a yield that took longer than kLongYield. After such a
  // long yield, calls in the next kRest return false without calling `ready`.
  // Tests pass a `yield` of their own.
  template <class Ready, class Yield = int (*)()>
  bool Until(Ready ready, Yield yield = sched_yield) {
    SteadyClock::time_point now = SteadyClock::now();
    if (now < resting_until_) return false;
    const SteadyClock::time_point end = now + kLongest;
    do {
      if (ready()) return true;
      const SteadyClock::time_point before = SteadyClock::now();
      yield();
      now = SteadyClock::now();
      if (now - before > kLongYield) {
        resting_until_ = now + kRest;
        return false;
      }
    } while (now < end);
    return false;
  }

 private:
  using SteadyClock = std::chrono::steady_clock;

  SteadyClock::time_point resting_until_;  // no spinning before this time
};

// Returns true as soon as `ready()` returns true. Returns false when the thread
// should sleep instead. `ready` should be very cheap, because the thread polls
// without a yield for the first few microseconds. SpinUntil does not remember
// long yields from one call to the next; use an IdleSpin for that. While a test
// simulates time, `ready` is called only once, because simulated time does not
// move on while a thread spins.
template <class Ready>
bool SpinUntil(Ready ready) {
  if (Simulation::Active() != nullptr) return ready();
  constexpr int kPauses = 256;
  for (int i = 0; i < kPauses; ++i) {
    if (ready()) return true;
    _mm_pause();
  }
  return IdleSpin().Until(ready) || ready();
}

}  // namespace leat

#endif  // LEAT_CORE_THREADS_SPIN_H_
