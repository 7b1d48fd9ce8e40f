// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FlushDenormals lets this thread compute with zero in place of floats that are
// smaller than the smallest normal number, as TensorFlow's kernels do.
// Processors compute with such floats a hundred times slower, and a training
// network is full of them.
#ifndef LEAT_CORE_THREADS_FLUSH_DENORMALS_H_
#define LEAT_CORE_THREADS_FLUSH_DENORMALS_H_

#include <xmmintrin.h>

namespace leat {

// Flushes denormal inputs and results of SSE and AVX instructions to zero from
// its construction to its destruction, then restores the former setting. It
// must be destroyed on the thread that made it; other threads are not affected.
//
//   const FlushDenormals flush;  // until the end of the scope
class FlushDenormals {
 public:
  FlushDenormals() : before_(_mm_getcsr()) {
    constexpr unsigned kFlushToZero = 0x8000;
    constexpr unsigned kDenormalsAreZero = 0x0040;
    _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero);
  }
  ~FlushDenormals() { _mm_setcsr(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  const unsigned before_;  // the MXCSR register at construction
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_FLUSH_DENORMALS_H_
