// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::trigonometry {
namespace {

void TanGrad(GradientContext& c) {
  c.set(0, op::Square(op::Reciprocal(op::Cos(c.input(0)))) * c.grad());
}
void AsinGrad(GradientContext& c) {
  c.set(0, c.grad() * op::Reciprocal(op::Sqrt(1 - op::Square(c.input(0)))));
}
void AcosGrad(GradientContext& c) {
  c.set(0, -c.grad() * op::Reciprocal(op::Sqrt(1 - op::Square(c.input(0)))));
}
void AtanGrad(GradientContext& c) {
  c.set(0, c.grad() * op::Reciprocal(1 + op::Square(c.input(0))));
}
void SinhGrad(GradientContext& c) { c.set(0, c.grad() * op::Cosh(c.input(0))); }
void CoshGrad(GradientContext& c) { c.set(0, c.grad() * op::Sinh(c.input(0))); }
void AsinhGrad(GradientContext& c) {
  c.set(0, c.grad() / op::Cosh(c.output(0)));
}
void AcoshGrad(GradientContext& c) {
  c.set(0, c.grad() / op::Sinh(c.output(0)));
}
void AtanhGrad(GradientContext& c) {
  c.set(0, c.grad() * op::Reciprocal(1 - op::Square(c.input(0))));
}

// The output is the angle of the point (x, y).
void Atan2Grad(GradientContext& c) {
  const Output y = c.input(0);
  const Output x = c.input(1);
  BroadcastReducer reduce(y, x);
  const Output share = c.grad() / (op::Square(y) + op::Square(x));
  if (c.needs(0)) c.set(0, reduce.ForX(x * share));
  if (c.needs(1)) c.set(1, reduce.ForY(-y * share));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Tan", TanGrad);
  registry.Add("Asin", AsinGrad);
  registry.Add("Acos", AcosGrad);
  registry.Add("Atan", AtanGrad);
  registry.Add("Sinh", SinhGrad);
  registry.Add("Cosh", CoshGrad);
  registry.Add("Asinh", AsinhGrad);
  registry.Add("Acosh", AcoshGrad);
  registry.Add("Atanh", AtanhGrad);
  registry.Add("Atan2", Atan2Grad);
}

}  // namespace leat::gradients::trigonometry
