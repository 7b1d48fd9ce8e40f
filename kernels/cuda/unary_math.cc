// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of the element-wise functions of one input, and of
// the gradients of some of them.
#include <memory>
#include <type_traits>

#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/cuda/elementwise_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::unary_math {
namespace {

using leat::cuda::BinaryOperands;
using leat::cuda::ElementType;
using leat::cuda::Gradient;
using leat::cuda::MathFunction;
using leat::cuda::Predicate;
using leat::cuda::Unary;
using leat::cuda::UnaryOperands;

template <auto function>
bool Launch(CUstream_st* stream, const Tensor& from, Tensor& to, float alpha) {
  const UnaryOperands operands = {from.raw_data(), to.mutable_raw_data(),
                                  from.num_elements()};
  if constexpr (std::is_same_v<decltype(function), Unary>) {
    return leat::cuda::LaunchUnary(stream, function, TypeOf(from), operands,
                                   alpha);
  } else if constexpr (std::is_same_v<decltype(function), Predicate>) {
    return leat::cuda::LaunchPredicate(stream, function, TypeOf(from),
                                       operands);
  } else {
    return leat::cuda::LaunchMathFunction(stream, function, TypeOf(from),
                                          operands);
  }
}

template <auto function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeUnary(const NodeDef&) {
  return std::unique_ptr<Kernel>(
      std::make_unique<UnaryOnGpu>(&Launch<function>));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeLeakyRelu(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const float alpha,
                        node.attrs.GetOr<float>("alpha", 0.2f));
  return std::unique_ptr<Kernel>(
      std::make_unique<UnaryOnGpu>(&Launch<Unary::kLeakyRelu>, alpha));
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

void RegisterShortFunctions(KernelRegistry& registry) {
  registry.Add("Neg", kGpu, &MakeUnary<Unary::kNeg>);
  registry.Add("Square", kGpu, &MakeUnary<Unary::kSquare>);
  registry.Add("Abs", kGpu, &MakeUnary<Unary::kAbs>);
  registry.Add("Sign", kGpu, &MakeUnary<Unary::kSign>);
  registry.Add("Round", kGpu, &MakeUnary<Unary::kRound>);
  registry.Add("Rint", kGpu, &MakeUnary<Unary::kRound>);
  registry.Add("Reciprocal", kGpu, &MakeUnary<Unary::kReciprocal>);
  registry.Add("Inv", kGpu, &MakeUnary<Unary::kReciprocal>);
  registry.Add("Sqrt", kGpu, &MakeUnary<Unary::kSqrt>);
  registry.Add("Rsqrt", kGpu, &MakeUnary<Unary::kRsqrt>);
  registry.Add("Floor", kGpu, &MakeUnary<Unary::kFloor>);
  registry.Add("Ceil", kGpu, &MakeUnary<Unary::kCeil>);
  registry.Add("LogicalNot", kGpu, &MakeUnary<Unary::kLogicalNot>);
  registry.Add("IsNan", kGpu, &MakeUnary<Predicate::kIsNan>);
  registry.Add("IsInf", kGpu, &MakeUnary<Predicate::kIsInf>);
  registry.Add("IsFinite", kGpu, &MakeUnary<Predicate::kIsFinite>);
}

void RegisterMathFunctions(KernelRegistry& registry) {
  registry.Add("Exp", kGpu, &MakeUnary<Unary::kExp>);
  registry.Add("Log", kGpu, &MakeUnary<Unary::kLog>);
  registry.Add("Log1p", kGpu, &MakeUnary<Unary::kLog1p>);
  registry.Add("Sin", kGpu, &MakeUnary<Unary::kSin>);
  registry.Add("Cos", kGpu, &MakeUnary<Unary::kCos>);
  registry.Add("Sigmoid", kGpu, &MakeUnary<Unary::kSigmoid>);
  registry.Add("Tanh", kGpu, &MakeUnary<Unary::kTanh>);
  registry.Add("Tan", kGpu, &MakeUnary<MathFunction::kTan>);
  registry.Add("Asin", kGpu, &MakeUnary<MathFunction::kAsin>);
  registry.Add("Acos", kGpu, &MakeUnary<MathFunction::kAcos>);
  registry.Add("Atan", kGpu, &MakeUnary<MathFunction::kAtan>);
  registry.Add("Sinh", kGpu, &MakeUnary<MathFunction::kSinh>);
  registry.Add("Cosh", kGpu, &MakeUnary<MathFunction::kCosh>);
  registry.Add("Asinh", kGpu, &MakeUnary<MathFunction::kAsinh>);
  registry.Add("Acosh", kGpu, &MakeUnary<MathFunction::kAcosh>);
  registry.Add("Atanh", kGpu, &MakeUnary<MathFunction::kAtanh>);
  registry.Add("Expm1", kGpu, &MakeUnary<MathFunction::kExpm1>);
  registry.Add("Erf", kGpu, &MakeUnary<MathFunction::kErf>);
  registry.Add("Erfc", kGpu, &MakeUnary<MathFunction::kErfc>);
}

void RegisterActivations(KernelRegistry& registry) {
  registry.Add("Relu", kGpu, &MakeUnary<Unary::kRelu>);
  registry.Add("Relu6", kGpu, &MakeUnary<Unary::kRelu6>);
  registry.Add("Elu", kGpu, &MakeUnary<Unary::kElu>);
  registry.Add("Selu", kGpu, &MakeUnary<Unary::kSelu>);
  registry.Add("LeakyRelu", kGpu, &MakeLeakyRelu);
  registry.Add("Softplus", kGpu, &MakeUnary<Unary::kSoftplus>);
  registry.Add("Softsign", kGpu, &MakeUnary<Unary::kSoftsign>);
}

}  // namespace

void Register(KernelRegistry& registry) {
  RegisterShortFunctions(registry);
  RegisterMathFunctions(registry);
  RegisterActivations(registry);
  registry.Add("ReluGrad", kGpu, &MakeActivation<Gradient::kRelu>);
  registry.Add("Relu6Grad", kGpu, &MakeActivation<Gradient::kRelu6>);
  registry.Add("EluGrad", kGpu, &MakeActivation<Gradient::kElu>);
  registry.Add("SeluGrad", kGpu, &MakeActivation<Gradient::kSelu>);
  registry.Add("LeakyReluGrad", kGpu, &MakeActivation<Gradient::kLeakyRelu>);
  registry.Add("SoftplusGrad", kGpu, &MakeActivation<Gradient::kSoftplus>);
  registry.Add("SoftsignGrad", kGpu, &MakeActivation<Gradient::kSoftsign>);
  registry.Add("ReciprocalGrad", kGpu, &MakeOfOutput<Gradient::kReciprocal>);
  registry.Add("InvGrad", kGpu, &MakeOfOutput<Gradient::kReciprocal>);
  registry.Add("SqrtGrad", kGpu, &MakeOfOutput<Gradient::kSqrt>);
  registry.Add("RsqrtGrad", kGpu, &MakeOfOutput<Gradient::kRsqrt>);
  registry.Add("SigmoidGrad", kGpu, &MakeOfOutput<Gradient::kSigmoid>);
  registry.Add("TanhGrad", kGpu, &MakeOfOutput<Gradient::kTanh>);
}

}  // namespace leat::kernels::cuda::unary_math
