// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SpinUntil: waits a little before a thread goes to sleep. Waking a thread
// takes long, on a virtual machine as long as a kernel runs, and a step is made
// of hundreds of short pauses.
#ifndef LEAT_CORE_SPIN_H_
#define LEAT_CORE_SPIN_H_

#include <immintrin.h>
#include <sched.h>

namespace leat {

// Returns true as soon as `ready()` is true, false after about half a
// millisecond. Other threads that want the core get it after the first few
// microseconds.
template <class Ready>
bool SpinUntil(Ready ready) {
  constexpr int kPauses = 256;
  constexpr int kYields = 1024;
  for (int i = 0; i < kPauses; ++i) {
    if (ready()) return true;
    _mm_pause();
  }
  for (int i = 0; i < kYields; ++i) {
    if (ready()) return true;
    sched_yield();
  }
  return false;
}

}  // namespace leat

#endif  // LEAT_CORE_SPIN_H_
