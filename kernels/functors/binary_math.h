// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the sums, differences, products and extrema of two elements.
// Integers wrap around.
#ifndef LEAT_KERNELS_FUNCTORS_BINARY_MATH_H_
#define LEAT_KERNELS_FUNCTORS_BINARY_MATH_H_

#include <type_traits>

#include "leat/kernels/functors/device_code.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::kernels::functors {

struct Add {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) + static_cast<Ring<W>>(b));
  }
};

struct Sub {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) - static_cast<Ring<W>>(b));
  }
};

struct Mul {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return static_cast<W>(static_cast<Ring<W>>(a) * static_cast<Ring<W>>(b));
  }
};

// The result for complex numbers is the square of the absolute value of the
// difference, which is real.
struct SquaredDifference {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    const W difference = Sub::Do(a, b);
    if constexpr (std::is_class_v<W>) {
      return W(difference.real() * difference.real() +
               difference.imag() * difference.imag());
    } else {
      return Mul::Do(difference, difference);
    }
  }
};

// If an operand is NaN, so is the result.
struct Maximum {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return a > b || a != a ? a : b;
  }
};

struct Minimum {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return a < b || a != a ? a : b;
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_BINARY_MATH_H_
