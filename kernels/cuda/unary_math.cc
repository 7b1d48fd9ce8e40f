// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of the element-wise functions of one input: Neg,
// Square, Abs, Sign, Reciprocal, Sqrt, Rsqrt, Floor, Exp, Log, Log1p, Sin, Cos,
// Sigmoid, Tanh, LogicalNot, Relu, Relu6, Elu, LeakyRelu and Softplus; and of
// the gradients of some of them.
#include <memory>

#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/cuda/elementwise_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::unary_math {
namespace {

using leat::cuda::BinaryOperands;
using leat::cuda::ElementType;
using leat::cuda::Gradient;
using leat::cuda::Unary;

template <Unary function>
bool Launch(CUstream_st* stream, const Tensor& from, Tensor& to, float alpha) {
  return leat::cuda::LaunchUnary(stream, function, TypeOf(from),
                                 from.raw_data(), to.mutable_raw_data(),
                                 from.num_elements(), alpha);
}

template <Unary function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef& node) {
  float alpha = 0;
  if constexpr (function == Unary::kLeakyRelu) {
    LEAT_ASSIGN_OR_RETURN(alpha, node.attrs.GetOr<float>("alpha", 0.2f));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<UnaryOnGpu>(&Launch<function>, alpha));
}

template <Gradient function>
bool LaunchPair(CUstream_st* stream, ElementType type,
                const BinaryOperands& operands, float alpha) {
  return leat::cuda::LaunchGradient(stream, function, type, operands, alpha);
}

// Makes the kernel of the gradient of an activation.
template <Gradient function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeActivation(const NodeDef& node) {
  float alpha = 0;
  if constexpr (function == Gradient::kLeakyRelu) {
    LEAT_ASSIGN_OR_RETURN(alpha, node.attrs.GetOr<float>("alpha", 0.2f));
  }
  return std::unique_ptr<Kernel>(std::make_unique<BinaryOnGpu>(
      &LaunchPair<function>,
      [](const KernelContext& context) {
        return CheckSameSizeAndShape(context);
      },
      alpha));
}

// Makes the kernel of a gradient whose first input is the function's output.
template <Gradient function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeOfOutput(const NodeDef&) {
  return std::unique_ptr<Kernel>(
      std::make_unique<BinaryOnGpu>(&LaunchPair<function>, &CheckSameShape));
}

void RegisterFunctions(KernelRegistry& registry) {
  registry.Add("Neg", kGpu, &MakeUnary<Unary::kNeg>);
  registry.Add("Square", kGpu, &MakeUnary<Unary::kSquare>);
  registry.Add("Abs", kGpu, &MakeUnary<Unary::kAbs>);
  registry.Add("Sign", kGpu, &MakeUnary<Unary::kSign>);
  registry.Add("Reciprocal", kGpu, &MakeUnary<Unary::kReciprocal>);
  registry.Add("Sqrt", kGpu, &MakeUnary<Unary::kSqrt>);
  registry.Add("Rsqrt", kGpu, &MakeUnary<Unary::kRsqrt>);
  registry.Add("Floor", kGpu, &MakeUnary<Unary::kFloor>);
  registry.Add("Exp", kGpu, &MakeUnary<Unary::kExp>);
  registry.Add("Log", kGpu, &MakeUnary<Unary::kLog>);
  registry.Add("Log1p", kGpu, &MakeUnary<Unary::kLog1p>);
  registry.Add("Sin", kGpu, &MakeUnary<Unary::kSin>);
  registry.Add("Cos", kGpu, &MakeUnary<Unary::kCos>);
  registry.Add("Sigmoid", kGpu, &MakeUnary<Unary::kSigmoid>);
  registry.Add("Tanh", kGpu, &MakeUnary<Unary::kTanh>);
  registry.Add("LogicalNot", kGpu, &MakeUnary<Unary::kLogicalNot>);
  registry.Add("Relu", kGpu, &MakeUnary<Unary::kRelu>);
  registry.Add("Relu6", kGpu, &MakeUnary<Unary::kRelu6>);
  registry.Add("Elu", kGpu, &MakeUnary<Unary::kElu>);
  registry.Add("LeakyRelu", kGpu, &MakeUnary<Unary::kLeakyRelu>);
  registry.Add("Softplus", kGpu, &MakeUnary<Unary::kSoftplus>);
}

}  // namespace

void Register(KernelRegistry& registry) {
  RegisterFunctions(registry);
  registry.Add("ReluGrad", kGpu, &MakeActivation<Gradient::kRelu>);
  registry.Add("Relu6Grad", kGpu, &MakeActivation<Gradient::kRelu6>);
  registry.Add("EluGrad", kGpu, &MakeActivation<Gradient::kElu>);
  registry.Add("LeakyReluGrad", kGpu, &MakeActivation<Gradient::kLeakyRelu>);
  registry.Add("SoftplusGrad", kGpu, &MakeActivation<Gradient::kSoftplus>);
  registry.Add("ReciprocalGrad", kGpu, &MakeOfOutput<Gradient::kReciprocal>);
  registry.Add("SqrtGrad", kGpu, &MakeOfOutput<Gradient::kSqrt>);
  registry.Add("RsqrtGrad", kGpu, &MakeOfOutput<Gradient::kRsqrt>);
  registry.Add("SigmoidGrad", kGpu, &MakeOfOutput<Gradient::kSigmoid>);
  registry.Add("TanhGrad", kGpu, &MakeOfOutput<Gradient::kTanh>);
}

}  // namespace leat::kernels::cuda::unary_math
