// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/functors/math_library.h"

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/cuda/device/unary_forms.h"

namespace leat::cuda {

bool LaunchMathFunction(CUstream_st* stream, MathFunction function,
                        ElementType type, const UnaryOperands& operands) {
  using namespace kernels::functors;
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto op) {
      ForEachElement<T, T>(stream, operands, StaticUnary<decltype(op)>());
    };
    switch (function) {
      case MathFunction::kTan:
        return launch(Tan());
      case MathFunction::kAsin:
        return launch(Asin());
      case MathFunction::kAcos:
        return launch(Acos());
      case MathFunction::kAtan:
        return launch(Atan());
      case MathFunction::kSinh:
        return launch(Sinh());
      case MathFunction::kCosh:
        return launch(Cosh());
      case MathFunction::kAsinh:
        return launch(Asinh());
      case MathFunction::kAcosh:
        return launch(Acosh());
      case MathFunction::kAtanh:
        return launch(Atanh());
      case MathFunction::kExpm1:
        return launch(Expm1());
      case MathFunction::kErf:
        return launch(Erf());
      case MathFunction::kErfc:
        return launch(Erfc());
    }
  });
}

}  // namespace leat::cuda
