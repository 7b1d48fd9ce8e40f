// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::unary_math {
namespace {

void NegGrad(GradientContext& c) { c.set(0, -c.grad()); }
void SquareGrad(GradientContext& c) { c.set(0, c.grad() * (c.input(0) * 2)); }
void SqrtGrad(GradientContext& c) {
  c.set(0, op::SqrtGrad(c.output(0), c.grad()));
}
void RsqrtGrad(GradientContext& c) {
  c.set(0, op::RsqrtGrad(c.output(0), c.grad()));
}
void ExpGrad(GradientContext& c) { c.set(0, c.grad() * c.output(0)); }
void LogGrad(GradientContext& c) {
  c.set(0, c.grad() * op::Reciprocal(c.input(0)));
}
void Log1pGrad(GradientContext& c) {
  c.set(0, c.grad() * op::Reciprocal(1 + c.input(0)));
}
void AbsGrad(GradientContext& c) { c.set(0, c.grad() * op::Sign(c.input(0))); }
void SignGrad(GradientContext& c) { c.set(0, op::ZerosLike(c.input(0))); }
void ReciprocalGrad(GradientContext& c) {
  c.set(0, op::ReciprocalGrad(c.output(0), c.grad()));
}
void SinGrad(GradientContext& c) { c.set(0, c.grad() * op::Cos(c.input(0))); }
void CosGrad(GradientContext& c) { c.set(0, -c.grad() * op::Sin(c.input(0))); }
void Expm1Grad(GradientContext& c) { c.set(0, c.grad() * op::Exp(c.input(0))); }
// Computes grad * factor * exp(-x^2).
void GaussianGrad(GradientContext& c, double factor) {
  const Output bell = op::Exp(-op::Square(c.input(0)));
  c.set(0, c.grad() * factor * bell);
}
constexpr double kTwoBySqrtPi = 1.1283791670955126;
void ErfGrad(GradientContext& c) { GaussianGrad(c, kTwoBySqrtPi); }
void ErfcGrad(GradientContext& c) { GaussianGrad(c, -kTwoBySqrtPi); }
void L2LossGrad(GradientContext& c) { c.set(0, c.input(0) * c.grad()); }
void AddNGrad(GradientContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.set(i, c.grad_or_none(0));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Neg", NegGrad);
  registry.Add("Square", SquareGrad);
  registry.Add("Sqrt", SqrtGrad);
  registry.Add("Rsqrt", RsqrtGrad);
  registry.Add("Exp", ExpGrad);
  registry.Add("Log", LogGrad);
  registry.Add("Log1p", Log1pGrad);
  registry.Add("Abs", AbsGrad);
  registry.Add("Sign", SignGrad);
  registry.Add("Reciprocal", ReciprocalGrad);
  registry.Add("Inv", ReciprocalGrad);
  registry.Add("Sin", SinGrad);
  registry.Add("Cos", CosGrad);
  registry.Add("Expm1", Expm1Grad);
  registry.Add("Erf", ErfGrad);
  registry.Add("Erfc", ErfcGrad);
  registry.Add("L2Loss", L2LossGrad);
  registry.Add("AddN", AddNGrad);
  registry.AddNotDifferentiable("Floor");
  registry.AddNotDifferentiable("Ceil");
  registry.AddNotDifferentiable("Round");
  registry.AddNotDifferentiable("Rint");
}

}  // namespace leat::gradients::unary_math
