// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Sums and products of counts that stay at 2^63 - 1 where they would overflow:
// for what is compared with a limit or only estimated.
#ifndef LEAT_CORE_SATURATING_H_
#define LEAT_CORE_SATURATING_H_

#include <cstdint>

namespace leat {

// REQUIRES: neither is negative. The same below.
inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

inline int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

}  // namespace leat

#endif  // LEAT_CORE_SATURATING_H_
