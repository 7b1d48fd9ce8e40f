// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IdleSpin, SpinUntil: wait a little before a thread goes to sleep. Waking a
// thread takes long, on a virtual machine as long as a kernel runs, and a step
// is made of hundreds of short pauses.
#ifndef LEAT_CORE_SPIN_H_
#define LEAT_CORE_SPIN_H_

#include <immintrin.h>
#include <sched.h>

#include <chrono>

namespace leat {

// Keeps looking as long as nobody else wants the core. Who yields lets all
// others that can run go first, and falls behind them in the kernel's account.
// Where cores are short that takes milliseconds, and a thread that slept would
// have been woken sooner: so it does not spin then, and for a while after.
// Not thread-safe: each thread has its own.
class IdleSpin {
 public:
  static constexpr std::chrono::microseconds kLongest{500};
  // Longer than what a small step computes, shorter than a share of the core
  // that the kernel deals out, 3 ms.
  static constexpr std::chrono::milliseconds kLongYield{1};
  static constexpr std::chrono::milliseconds kRest{20};

  // Returns true as soon as `ready()` is true, false after kLongest, or after a
  // yield that took kLongYield; then false without a look for kRest. Tests have
  // their own way to yield.
  template <class Ready, class Yield = int (*)()>
  bool Until(Ready ready, Yield yield = sched_yield) {
    Clock::time_point now = Clock::now();
    if (now < resting_until_) return false;
    const Clock::time_point end = now + kLongest;
    do {
      if (ready()) return true;
      const Clock::time_point before = Clock::now();
      yield();
      now = Clock::now();
      if (now - before > kLongYield) {
        resting_until_ = now + kRest;
        return false;
      }
    } while (now < end);
    return false;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point resting_until_;
};

// For a `ready()` that costs nothing: keeps the core for the first few
// microseconds, and does not remember long yields.
template <class Ready>
bool SpinUntil(Ready ready) {
  constexpr int kPauses = 256;
  for (int i = 0; i < kPauses; ++i) {
    if (ready()) return true;
    _mm_pause();
  }
  return IdleSpin().Until(ready) || ready();
}

}  // namespace leat

#endif  // LEAT_CORE_SPIN_H_
