// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions compute the gradient of an op's input from an element y of
// the op's output and from dy, the gradient of y.
#ifndef LEAT_KERNELS_FUNCTORS_UNARY_MATH_GRADIENTS_H_
#define LEAT_KERNELS_FUNCTORS_UNARY_MATH_GRADIENTS_H_

#include <type_traits>

#include "leat/kernels/functors/device_code.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::kernels::functors {

// A number of the 16-bit type T. Each operation rounds its result to T.
template <class T>
struct Rounded {
  LEAT_DEVICE explicit Rounded(float number) : value{T(number)} {}
  LEAT_DEVICE friend Rounded operator*(Rounded a, Rounded b) {
    return Rounded(a.value * b.value);
  }
  LEAT_DEVICE friend Rounded operator/(Rounded a, Rounded b) {
    return Rounded(a.value / b.value);
  }
  LEAT_DEVICE friend Rounded operator-(Rounded a, Rounded b) {
    return Rounded(a.value - b.value);
  }
  LEAT_DEVICE friend Rounded operator-(Rounded a) { return Rounded(-a.value); }
  LEAT_DEVICE friend bool operator==(Rounded a, Rounded b) {
    return a.value == b.value;
  }

  float value;
};

// Computes Op in 16 bits. An intermediate result overflows as in TensorFlow.
template <class Op, class T>
struct InSixteenBits {
  LEAT_DEVICE static float Do(float y, float dy) {
    return Op::Do(Rounded<T>(y), Rounded<T>(dy)).value;
  }
};

// Is Op or, if T is a 16-bit float, InSixteenBits<Op, T>.
template <class T, class Op>
using InPrecisionOf =
    std::conditional_t<std::is_same_v<T, Wide<T>>, Op, InSixteenBits<Op, T>>;

// Returns x * dy, or 0 if dy is 0, even if x is infinite or not a number.
template <class N>
LEAT_DEVICE N TimesGradient(N x, N dy) {
  return dy == N(0) ? N(0) : x * dy;
}

// The gradients multiply in TensorFlow's order, so that products overflow for
// the same elements as in TensorFlow. As in TensorFlow, ReciprocalGrad,
// SqrtGrad and RsqrtGrad conjugate a complex y, but SigmoidGrad and TanhGrad do
// not.
struct ReciprocalGrad {
  template <class N>
  LEAT_DEVICE static N Do(N y, N dy) {
    const N z = Conjugate(y);
    return TimesGradient(-(z * z), dy);
  }
};
struct SqrtGrad {
  template <class N>
  LEAT_DEVICE static N Do(N y, N dy) {
    return TimesGradient(N(0.5) / Conjugate(y), dy);
  }
};
struct RsqrtGrad {
  template <class N>
  LEAT_DEVICE static N Do(N y, N dy) {
    const N z = Conjugate(y);
    return TimesGradient(N(-0.5) * (z * z), TimesGradient(z, dy));
  }
};
struct SigmoidGrad {
  template <class N>
  LEAT_DEVICE static N Do(N y, N dy) {
    return dy * (y * (N(1) - y));
  }
};
struct TanhGrad {
  template <class N>
  LEAT_DEVICE static N Do(N y, N dy) {
    return dy * (N(1) - y * y);
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_UNARY_MATH_GRADIENTS_H_
