// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/cuda/device/binary_forms.h"
#include "leat/kernels/functors/activation.h"
#include "leat/kernels/functors/unary_math_gradients.h"

namespace leat::cuda {

bool LaunchGradient(CUstream_st* stream, Gradient function, ElementType type,
                    const BinaryOperands& operands, float alpha) {
  using namespace kernels::functors;
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto op) {
      ForEachPair<T, T>(stream, operands, op);
    };
    const auto launch_of_output = [&](auto op) {
      launch(Static<InPrecisionOf<T, decltype(op)>>());
    };
    switch (function) {
      case Gradient::kRelu:
        return launch(ReluGrad());
      case Gradient::kRelu6:
        return launch(Relu6Grad());
      case Gradient::kElu:
        return launch(EluGrad());
      case Gradient::kSelu:
        return launch(SeluGrad());
      case Gradient::kLeakyRelu:
        return launch(LeakyReluGrad{alpha});
      case Gradient::kSoftplus:
        return launch(SoftplusGrad());
      case Gradient::kSoftsign:
        return launch(SoftsignGrad());
      case Gradient::kReciprocal:
        return launch_of_output(ReciprocalGrad());
      case Gradient::kSqrt:
        return launch_of_output(SqrtGrad());
      case Gradient::kRsqrt:
        return launch_of_output(RsqrtGrad());
      case Gradient::kSigmoid:
        return launch_of_output(SigmoidGrad());
      case Gradient::kTanh:
        return launch_of_output(TanhGrad());
    }
  });
}

}  // namespace leat::cuda
