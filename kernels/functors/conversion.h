// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions convert floats as TensorFlow's Cast does.
#ifndef LEAT_KERNELS_FUNCTORS_CONVERSION_H_
#define LEAT_KERNELS_FUNCTORS_CONVERSION_H_

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels::functors {

// A signed integer type to which the processor converts floats. It holds every
// value of To, except for the upper half of uint64_t, which FromFloating
// handles.
template <class To>
using Carrier =
    std::conditional_t<(sizeof(To) < 4 || std::is_same_v<To, int32_t>), int32_t,
                       int64_t>;

// Converts like an x86 processor, and therefore like TensorFlow on x86: NaN and
// values that do not fit become the most negative number.
template <class Int, class From>
LEAT_DEVICE Int ToCarrier(From value) {
  constexpr From kEnd = -static_cast<From>(std::numeric_limits<Int>::min());
  return value >= -kEnd && value < kEnd ? static_cast<Int>(value)
                                        : std::numeric_limits<Int>::min();
}

template <class To, class From>
LEAT_DEVICE To FromFloating(From value) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    constexpr From kHalf = static_cast<From>(0x1p63);
    if (value >= kHalf) {
      return static_cast<uint64_t>(ToCarrier<int64_t>(value - kHalf)) ^
             (uint64_t{1} << 63);
    }
  }
  return static_cast<To>(ToCarrier<Carrier<To>>(value));
}

// Sets the low bits of the significand to zero, unless the number is a NaN.
template <int bits>
LEAT_DEVICE float ZeroLowBits(float value) {
  if (value != value) return value;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) &
                              (~uint32_t{0} << bits));
}
template <int bits>
LEAT_DEVICE double ZeroLowBits(double value) {
  if (value != value) return value;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) &
                               (~uint64_t{0} << bits));
}

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_CONVERSION_H_
