// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions of one element take only one or two instructions.
#ifndef LEAT_KERNELS_FUNCTORS_UNARY_MATH_H_
#define LEAT_KERNELS_FUNCTORS_UNARY_MATH_H_

#include <cmath>
#include <type_traits>

#include "leat/kernels/functors/device_code.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::kernels::functors {

struct Neg {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    if constexpr (std::is_integral_v<W>) {
      return static_cast<W>(Ring<W>{0} - static_cast<Ring<W>>(x));
    } else {
      return -x;
    }
  }
};

// Computes the real part of the square of a + bi as (a - b) * (a + b), which is
// exactly 0 if a equals b. The compiler may compute a * a - b * b with a fused
// multiply-add, which rounds only one of the two products. The result would
// then not be exactly 0.
struct Square {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    if constexpr (std::is_class_v<W>) {
      return W((x.real() - x.imag()) * (x.real() + x.imag()),
               2 * (x.real() * x.imag()));
    } else {
      return static_cast<W>(static_cast<Ring<W>>(x) * static_cast<Ring<W>>(x));
    }
  }
};

struct Abs {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    if constexpr (std::is_integral_v<W>) {
      return x < 0 ? Neg::Do(x) : x;
    } else {
      return std::fabs(x);
    }
  }
};

// Zero keeps its sign, and NaN stays NaN. The sign of a complex number x is the
// number with the angle of x and the absolute value 1.
struct Sign {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    if constexpr (std::is_class_v<W>) {
      return x == W{0} ? x : x / abs(x);
    } else {
      return Real(x);
    }
  }

 private:
  template <class W>
  LEAT_DEVICE static W Real(W x) {
    return x > 0 ? W{1} : (x < 0 ? W{-1} : x);
  }
};

struct Reciprocal {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return W{1} / x;
  }
};

struct Sqrt {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return W{1} / std::sqrt(x);
  }
};

struct Floor {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::floor(x);
  }
};

struct Ceil {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    return std::ceil(x);
  }
};

// Rounds to the nearest integer, and to the even one if two are equally near.
struct Round {
  template <class W>
  LEAT_DEVICE static W Do(W x) {
    if constexpr (std::is_integral_v<W>) {
      return x;
    } else {
      return std::rint(x);
    }
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_UNARY_MATH_H_
