// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FlushDenormals: while it lives, this thread's floats below the smallest
// normal number are zero, as in TensorFlow's kernels. Processors compute with
// such numbers a hundred times slower, and a training network is full of them.
#ifndef LEAT_CORE_FLUSH_DENORMALS_H_
#define LEAT_CORE_FLUSH_DENORMALS_H_

#include <immintrin.h>

namespace leat {

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
  const unsigned before_;
};

}  // namespace leat

#endif  // LEAT_CORE_FLUSH_DENORMALS_H_
