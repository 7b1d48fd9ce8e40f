// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SaturatingAdd and SaturatingMultiply return 2^63 - 1 instead of overflowing.
// Use them for counts that are compared with a limit or only estimated. Use
// CheckedAdd and CheckedMultiply (shape.h) for sizes that must be exact.
#ifndef LEAT_CORE_SATURATING_H_
#define LEAT_CORE_SATURATING_H_

#include <cstdint>

namespace leat {

// Returns a + b, at most INT64_MAX. REQUIRES: a >= 0, b >= 0.
inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// Returns a * b, at most INT64_MAX. REQUIRES: a >= 0, b >= 0.
inline int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

}  // namespace leat

#endif  // LEAT_CORE_SATURATING_H_
