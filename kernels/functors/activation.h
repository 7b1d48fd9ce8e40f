// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the activations of neural networks, as functions of one element,
// and their gradients, as functions of an element of the first input and an
// element of the second input. NaN stays NaN. kNanoseconds is about how long a
// CPU takes for one element.
#ifndef LEAT_KERNELS_FUNCTORS_ACTIVATION_H_
#define LEAT_KERNELS_FUNCTORS_ACTIVATION_H_

#include <cmath>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels::functors {

struct Relu {
  static constexpr int kNanoseconds = 1;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return x < W(0) ? W(0) : x;
  }
};

struct Relu6 {
  static constexpr int kNanoseconds = 1;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    const W positive = x < W(0) ? W(0) : x;
    return positive > W(6) ? W(6) : positive;
  }
};

struct Elu {
  static constexpr int kNanoseconds = 10;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return x < W(0) ? std::expm1(x) : x;
  }
};

// kSeluScale and kSeluAlpha are the constants of Selu. Layers of Selu keep the
// mean and the variance of their inputs.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluAlpha = 1.6732632423543772848170429916717;

struct Selu {
  static constexpr int kNanoseconds = 10;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return x < W(0) ? W(kSeluScale * kSeluAlpha) * std::expm1(x)
                    : W(kSeluScale) * x;
  }
};

struct Softsign {
  static constexpr int kNanoseconds = 1;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return x / (W(1) + std::fabs(x));
  }
};

struct LeakyRelu {
  static constexpr int kNanoseconds = 1;
  float alpha = 0.2f;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    return x > W(0) ? x : x * static_cast<W>(alpha);
  }
};

struct GeluExact {
  static constexpr int kNanoseconds = 10;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    constexpr W kOneBySqrt2 = W(0.70710678118654752);
    return W(0.5) * x * (W(1) + std::erf(x * kOneBySqrt2));
  }
};

struct GeluApproximate {
  static constexpr int kNanoseconds = 10;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    constexpr W kSqrt2ByPi = W(0.79788456080286536);
    return W(0.5) * x *
           (W(1) + std::tanh(kSqrt2ByPi * (x + W(0.044715) * (x * x * x))));
  }
};

// Computes Softplus, log(1 + e^x). Above -threshold the result rounds to x, and
// below threshold it rounds to e^x.
struct Softplus {
  static constexpr int kNanoseconds = 15;
  // Is negative, and depends on the number of bits in the fraction of an
  // element.
  double threshold = 0;
  template <class W>
  LEAT_DEVICE W operator()(W x) const {
    const W end = static_cast<W>(threshold);
    if (x > -end) return x;
    const W e = std::exp(x);
    return x < end ? e : std::log1p(e);
  }
};
// Returns Softplus for elements whose fractions have `fraction_bits` bits.
inline Softplus SoftplusOf(int fraction_bits) {
  return Softplus{std::log(2.0) * -fraction_bits + 2};
}

struct ReluGrad {
  static constexpr int kNanoseconds = 1;
  template <class W>
  LEAT_DEVICE W operator()(W gradient, W feature) const {
    // A multiplication needs no branch. As in TensorFlow, a gradient that is
    // NaN stays NaN even if the feature is not positive.
    return gradient * static_cast<W>(feature > W(0));
  }
};

struct Relu6Grad {
  static constexpr int kNanoseconds = 1;
  template <class W>
  LEAT_DEVICE W operator()(W gradient, W feature) const {
    return gradient * static_cast<W>((feature > W(0)) & (feature < W(6)));
  }
};

struct EluGrad {
  static constexpr int kNanoseconds = 1;
  template <class W>
  LEAT_DEVICE W operator()(W gradient, W output) const {
    return output < W(0) ? (output + W(1)) * gradient : gradient;
  }
};

struct SeluGrad {
  static constexpr int kNanoseconds = 1;
  template <class W>
  LEAT_DEVICE W operator()(W gradient, W output) const {
    return output < W(0) ? gradient * (output + W(kSeluScale * kSeluAlpha))
                         : gradient * W(kSeluScale);
  }
};

struct SoftsignGrad {
  static constexpr int kNanoseconds = 1;
  template <class W>
  LEAT_DEVICE W operator()(W gradient, W feature) const {
    const W divisor = W(1) + std::fabs(feature);
    return gradient / (divisor * divisor);
  }
};

struct LeakyReluGrad {
  static constexpr int kNanoseconds = 1;
  float alpha = 0.2f;
  template <class W>
  LEAT_DEVICE W operator()(W gradient, W feature) const {
    return feature > W(0) ? gradient : gradient * static_cast<W>(alpha);
  }
};

struct SoftplusGrad {
  static constexpr int kNanoseconds = 10;
  template <class W>
  LEAT_DEVICE W operator()(W gradient, W feature) const {
    return gradient / (std::exp(-feature) + W(1));
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_ACTIVATION_H_
