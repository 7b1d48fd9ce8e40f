// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/cuda/device/binary_forms.h"
#include "leat/kernels/functors/binary_math.h"

namespace leat::cuda {

bool LaunchArithmetic(CUstream_st* stream, Arithmetic function,
                      ElementType type, const BinaryOperands& operands) {
  using Numbers = Types<Half, Bfloat16, float, double, int8_t, int16_t, int64_t,
                        uint8_t, uint16_t, uint32_t, uint64_t>;
  bool known = true;
  known &= VisitType(Numbers(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto op) {
      ForEachPair<T, T>(stream, operands, Static<decltype(op)>());
    };
    switch (function) {
      case Arithmetic::kAdd:
        return launch(kernels::functors::Add());
      case Arithmetic::kSub:
        return launch(kernels::functors::Sub());
      case Arithmetic::kMul:
        return launch(kernels::functors::Mul());
      case Arithmetic::kMaximum:
        return launch(kernels::functors::Maximum());
      case Arithmetic::kMinimum:
        return launch(kernels::functors::Minimum());
      case Arithmetic::kSquaredDifference:
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, int64_t>) {
          known = false;
        } else {
          launch(kernels::functors::SquaredDifference());
        }
    }
  });
  return known;
}

}  // namespace leat::cuda
