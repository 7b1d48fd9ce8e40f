// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ReciprocalGrad, SqrtGrad, RsqrtGrad, SigmoidGrad and
// TanhGrad. They compute the gradient of an op's input from the op's output y
// and from dy, the gradient of y.
#include <memory>
#include <type_traits>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::unary_math_gradients {
namespace {

// A number of the 16-bit type T. Each operation rounds its result to T.
template <class T>
struct Rounded {
  explicit Rounded(float number) : value{T(number)} {}
  friend Rounded operator*(Rounded a, Rounded b) {
    return Rounded(a.value * b.value);
  }
  friend Rounded operator/(Rounded a, Rounded b) {
    return Rounded(a.value / b.value);
  }
  friend Rounded operator-(Rounded a, Rounded b) {
    return Rounded(a.value - b.value);
  }
  friend Rounded operator-(Rounded a) { return Rounded(-a.value); }
  friend bool operator==(Rounded a, Rounded b) { return a.value == b.value; }

  float value;
};

// Computes Op in 16 bits. An intermediate result overflows as in TensorFlow.
template <class Op, class T>
struct InSixteenBits {
  static float Do(float y, float dy) {
    return Op::Do(Rounded<T>(y), Rounded<T>(dy)).value;
  }
};

// Returns x * dy, or 0 if dy is 0, even if x is infinite or not a number.
template <class N>
N TimesGradient(N x, N dy) {
  return dy == N(0) ? N(0) : x * dy;
}

// The gradients multiply in TensorFlow's order, so that the same products
// overflow.
struct ReciprocalGrad {
  template <class N>
  static N Do(N y, N dy) {
    return TimesGradient(-(y * y), dy);
  }
};
struct SqrtGrad {
  template <class N>
  static N Do(N y, N dy) {
    return TimesGradient(N(0.5) / y, dy);
  }
};
struct RsqrtGrad {
  template <class N>
  static N Do(N y, N dy) {
    return TimesGradient(N(-0.5) * (y * y), TimesGradient(y, dy));
  }
};
struct SigmoidGrad {
  template <class N>
  static N Do(N y, N dy) {
    return dy * (y * (N(1) - y));
  }
};
struct TanhGrad {
  template <class N>
  static N Do(N y, N dy) {
    return dy * (N(1) - y * y);
  }
};

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeGradient(const NodeDef& node) {
  return MakeForType(
      node, "T", kFloats, [](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        using Function = std::conditional_t<std::is_same_v<T, Wide<T>>, Op,
                                            InSixteenBits<Op, T>>;
        return std::make_unique<BinaryKernel>(&BinaryRowOf<Function, T, T>,
                                              /*cost=*/6, /*failure=*/"",
                                              BinaryKernel::Shapes::kEqual);
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ReciprocalGrad", kCpu, &MakeGradient<ReciprocalGrad>);
  registry.Add("SqrtGrad", kCpu, &MakeGradient<SqrtGrad>);
  registry.Add("RsqrtGrad", kCpu, &MakeGradient<RsqrtGrad>);
  registry.Add("SigmoidGrad", kCpu, &MakeGradient<SigmoidGrad>);
  registry.Add("TanhGrad", kCpu, &MakeGradient<TanhGrad>);
}

}  // namespace leat::kernels::cpu::unary_math_gradients
