// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IdleSpin and SpinUntil wait a little before a thread goes to sleep. Waking a
// thread takes long (on a virtual machine, as long as a kernel takes to run),
// and a step has hundreds of short pauses.
#ifndef LEAT_CORE_THREADS_SPIN_H_
#define LEAT_CORE_THREADS_SPIN_H_

#include <sched.h>
#include <xmmintrin.h>

#include <chrono>

#include "leat/core/threads/simulation.h"

namespace leat {

// Polls a condition while nobody else wants the core. Between two polls it
// yields, so that the scheduler lets all other runnable threads go first. If
// there are more such threads than cores, a yield takes milliseconds, and a
// thread that slept would have been woken sooner. Therefore a long yield ends
// the spinning, and the thread does not spin again for a while. It is not
// thread-safe: each thread has an IdleSpin of its own.
class IdleSpin {
 public:
  // The longest time to spin.
  static constexpr std::chrono::microseconds kLongest{500};
  // A yield of this length shows that cores are short. It is longer than a
  // small step computes and shorter than a time slice of the scheduler, 3 ms.
  static constexpr std::chrono::milliseconds kLongYield{1};
  // The time without spinning after a long yield.
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

// Returns true as soon as `ready()` returns true, and false once the thread
// should rather sleep. `ready` should cost next to nothing, because the thread
// keeps the core for the first few microseconds. Long yields are not
// remembered; an IdleSpin that a thread keeps remembers them. While a test
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
