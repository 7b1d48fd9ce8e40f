// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FlushDenormals makes this thread compute with zero in place of denormal
// floats, which are smaller than the smallest normal number. TensorFlow's
// kernels do the same. Processors compute with denormal floats a hundred times
// slower, and networks in training have many of them.
#ifndef LEAT_CORE_THREADS_FLUSH_DENORMALS_H_
#define LEAT_CORE_THREADS_FLUSH_DENORMALS_H_

#include <xmmintrin.h>

namespace leat {

// While this object exists, denormal inputs and results of SSE and AVX
// instructions on its thread become zero. The destructor restores the former
// setting, and must run on the thread that made the object. Other threads are
// not affected.
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
