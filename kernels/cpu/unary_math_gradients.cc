// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ReciprocalGrad, InvGrad, SqrtGrad, RsqrtGrad,
// SigmoidGrad and TanhGrad. They compute the gradient of an op's input from the
// op's output y and from dy, the gradient of y.
#include <memory>

#include "leat/core/dtype_list.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/unary_math_gradients.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::unary_math_gradients {
namespace {

template <class Op>
absl::StatusOr<std::unique_ptr<Kernel>> MakeGradient(const NodeDef& node) {
  return MakeForType(
      node, "T", kFloatsAndComplexes, [](auto tag) -> std::unique_ptr<Kernel> {
        using T = typename decltype(tag)::type;
        using Function = functors::InPrecisionOf<T, Op>;
        return std::make_unique<BinaryKernel>(&BinaryRowOf<Function, T, T>,
                                              /*cost=*/6, /*failure=*/"",
                                              BinaryKernel::Shapes::kEqual);
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ReciprocalGrad", kCpu, &MakeGradient<functors::ReciprocalGrad>);
  registry.Add("InvGrad", kCpu, &MakeGradient<functors::ReciprocalGrad>);
  registry.Add("SqrtGrad", kCpu, &MakeGradient<functors::SqrtGrad>);
  registry.Add("RsqrtGrad", kCpu, &MakeGradient<functors::RsqrtGrad>);
  registry.Add("SigmoidGrad", kCpu, &MakeGradient<functors::SigmoidGrad>);
  registry.Add("TanhGrad", kCpu, &MakeGradient<functors::TanhGrad>);
}

}  // namespace leat::kernels::cpu::unary_math_gradients
