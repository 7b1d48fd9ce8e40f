// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the quotients, remainders and powers of two floats.
#ifndef LEAT_KERNELS_FUNCTORS_DIVISION_H_
#define LEAT_KERNELS_FUNCTORS_DIVISION_H_

#include <cmath>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels::functors {

struct RealDiv {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return a / b;
  }
};

struct DivNoNan {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return b == W{0} ? W{0} : a / b;
  }
};

struct FloorDiv {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return std::floor(a / b);
  }
};

// Computes FloorDiv or TruncateDiv of 16-bit floats. The quotient is rounded to
// T before it becomes an integer.
template <class T>
struct RoundedFloorDiv {
  LEAT_DEVICE static float Do(float a, float b) {
    return std::floor(static_cast<float>(static_cast<T>(a / b)));
  }
};
template <class T>
struct RoundedTruncateDiv {
  LEAT_DEVICE static float Do(float a, float b) {
    return std::trunc(static_cast<float>(static_cast<T>(a / b)));
  }
};

struct TruncateDiv {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return std::trunc(a / b);
  }
};

// The result has the sign of the dividend.
struct TruncateMod {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return std::fmod(a, b);
  }
};

// The result has the sign of the divisor.
struct FloorMod {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    const W remainder = std::fmod(a, b);
    return remainder != 0 && (b < 0) != (remainder < 0) ? remainder + b
                                                        : remainder;
  }
};

struct Pow {
  template <class W>
  LEAT_DEVICE static W Do(W a, W b) {
    return std::pow(a, b);
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_DIVISION_H_
