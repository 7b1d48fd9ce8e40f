// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SpinUntil, YieldUntil: wait a little before a thread goes to sleep. Waking a
// thread takes long, on a virtual machine as long as a kernel runs, and a step
// is made of hundreds of short pauses.
#ifndef LEAT_CORE_SPIN_H_
#define LEAT_CORE_SPIN_H_

#include <immintrin.h>
#include <sched.h>

#include <chrono>

namespace leat {

// Returns true as soon as `ready()` is true, false after half a millisecond.
// Other threads that want the core get it after each look.
template <class Ready>
bool YieldUntil(Ready ready) {
  constexpr std::chrono::microseconds kLongest(500);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  do {
    if (ready()) return true;
    sched_yield();
  } while (std::chrono::steady_clock::now() < end);
  return ready();
}

// The same, and keeps the core for the first few microseconds: for a `ready()`
// that costs nothing.
template <class Ready>
bool SpinUntil(Ready ready) {
  constexpr int kPauses = 256;
  for (int i = 0; i < kPauses; ++i) {
    if (ready()) return true;
    _mm_pause();
  }
  return YieldUntil(ready);
}

}  // namespace leat

#endif  // LEAT_CORE_SPIN_H_
