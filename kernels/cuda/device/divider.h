// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Divider divides 31-bit numbers by a number that is known beforehand, without
// a division (Granlund and Montgomery, "Division by Invariant Integers using
// Multiplication", 1994). A GPU has no instruction that divides integers.
#ifndef LEAT_KERNELS_CUDA_DEVICE_DIVIDER_H_
#define LEAT_KERNELS_CUDA_DEVICE_DIVIDER_H_

#include <cstdint>

#include "leat/kernels/functors/device_code.h"

namespace leat::cuda {

// A plain value.
struct Divider {
  uint32_t divisor;
  uint32_t multiplier;
  uint32_t shift;

  // Returns n / divisor. REQUIRES: n < 2^31.
  LEAT_DEVICE uint32_t Divide(uint32_t n) const {
    const auto high = static_cast<uint32_t>((uint64_t{n} * multiplier) >> 32);
    return (high + n) >> shift;
  }
};

// Makes the Divider of `divisor`. REQUIRES: 0 < divisor < 2^31.
inline Divider MakeDivider(uint32_t divisor) {
  uint32_t shift = 0;
  while ((uint64_t{1} << shift) < divisor) ++shift;
  const uint64_t excess = (uint64_t{1} << shift) - divisor;
  return {divisor, static_cast<uint32_t>((excess << 32) / divisor + 1), shift};
}

// Divides indices of an array. The indices may be 2^31 or larger. Is a plain
// value.
struct IndexDivider {
  int64_t divisor;
  // Is true if all indices are below 2^31, so that `divider` can divide them.
  bool is_small;
  Divider divider;

  // Returns index / divisor.
  LEAT_DEVICE int64_t Divide(int64_t index) const {
    return is_small ? divider.Divide(static_cast<uint32_t>(index))
                    : index / divisor;
  }
};

// Makes the IndexDivider for the indices of `n` elements. REQUIRES: 0 < divisor
// <= n.
inline IndexDivider MakeIndexDivider(int64_t divisor, int64_t n) {
  const bool is_small = n < (int64_t{1} << 31);
  return {divisor, is_small,
          is_small ? MakeDivider(static_cast<uint32_t>(divisor)) : Divider{}};
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_DIVIDER_H_
