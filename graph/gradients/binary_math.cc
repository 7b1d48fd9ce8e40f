// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::binary_math {
namespace {

void AddGrad(GradientContext& c) {
  BroadcastReducer reduce(c.input(0), c.input(1));
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(dz));
  if (c.needs(1)) c.set(1, reduce.ForY(dz));
}

void SubGrad(GradientContext& c) {
  BroadcastReducer reduce(c.input(0), c.input(1));
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(dz));
  if (c.needs(1)) c.set(1, -reduce.ForY(dz));
}

void MulGrad(GradientContext& c) {
  BroadcastReducer reduce(c.input(0), c.input(1));
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(dz * c.input(1)));
  if (c.needs(1)) c.set(1, reduce.ForY(c.input(0) * dz));
}

void DivGrad(GradientContext& c) {
  const Output x = c.input(0);
  const Output y = c.input(1);
  BroadcastReducer reduce(x, y);
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(dz / y));
  if (c.needs(1)) c.set(1, reduce.ForY(dz * (-x / y / y)));
}

void DivNoNanGrad(GradientContext& c) {
  const Output x = c.input(0);
  const Output y = c.input(1);
  BroadcastReducer reduce(x, y);
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(op::DivNoNan(dz, y)));
  if (c.needs(1)) {
    c.set(1, reduce.ForY(dz * op::DivNoNan(op::DivNoNan(-x, y), y)));
  }
}

// The gradients follow from floormod(x, y) = x - floor(x / y) * y.
void FloorModGrad(GradientContext& c) {
  const Output x = c.input(0);
  const Output y = c.input(1);
  BroadcastReducer reduce(x, y);
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(dz));
  if (c.needs(1)) c.set(1, reduce.ForY(dz * -op::FloorDiv(x, y)));
}

// The gradient goes to x where `first` is true and to y elsewhere. The callers
// choose `first` so that x gets the gradient where x and y are equal.
void SelectionGrad(GradientContext& c, Output first) {
  BroadcastReducer reduce(c.input(0), c.input(1));
  const Output dz = c.grad();
  const Output zeros = op::ZerosLike(dz);
  if (c.needs(0)) c.set(0, reduce.ForX(op::SelectV2(first, dz, zeros)));
  if (c.needs(1)) c.set(1, reduce.ForY(op::SelectV2(first, zeros, dz)));
}

void MaximumGrad(GradientContext& c) {
  SelectionGrad(c, op::GreaterEqual(c.input(0), c.input(1)));
}

void MinimumGrad(GradientContext& c) {
  SelectionGrad(c, op::LessEqual(c.input(0), c.input(1)));
}

void SquaredDifferenceGrad(GradientContext& c) {
  BroadcastReducer reduce(c.input(0), c.input(1));
  const Output dx = (2 * c.grad()) * (c.input(0) - c.input(1));
  if (c.needs(0)) c.set(0, reduce.ForX(dx));
  if (c.needs(1)) c.set(1, -reduce.ForY(dx));
}

// The gradient of y has the factor log(x), which counts as 0 for x <= 0.
void PowGrad(GradientContext& c) {
  const Output x = c.input(0);
  const Output y = c.input(1);
  BroadcastReducer reduce(x, y);
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(dz * y * op::Pow(x, y - 1)));
  if (c.needs(1)) {
    const Output positive = op::Greater(x, 0);
    const Output safe = op::SelectV2(positive, x, op::OnesLike(x));
    const Output log = op::SelectV2(positive, op::Log(safe), op::ZerosLike(x));
    c.set(1, reduce.ForY(dz * (c.output(0) * log)));
  }
}

// The gradient of each input is dz times the partial derivative that `by_x` or
// `by_y` returns.
template <class ByX, class ByY>
void PartialsGrad(GradientContext& c, ByX by_x, ByY by_y) {
  const Output x = c.input(0);
  const Output y = c.input(1);
  BroadcastReducer reduce(x, y);
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(by_x(x, y) * dz));
  if (c.needs(1)) c.set(1, reduce.ForY(by_y(x, y) * dz));
}

void MulNoNanGrad(GradientContext& c) {
  BroadcastReducer reduce(c.input(0), c.input(1));
  const Output dz = c.grad();
  if (c.needs(0)) c.set(0, reduce.ForX(op::MulNoNan(dz, c.input(1))));
  if (c.needs(1)) c.set(1, reduce.ForY(op::MulNoNan(c.input(0), dz)));
}

// Returns 1 where x is not 0, and 0 elsewhere.
Output NotZero(Output x) {
  return op::Cast(op::NotEqual(x, op::ZerosLike(x)), x.dtype());
}

void XdivyGrad(GradientContext& c) {
  PartialsGrad(
      c, [](Output x, Output y) { return op::Xdivy(NotZero(x), y); },
      [](Output x, Output y) { return op::Xdivy(-x, op::Square(y)); });
}

void XlogyGrad(GradientContext& c) {
  PartialsGrad(
      c, [](Output x, Output y) { return op::Xlogy(NotZero(x), y); },
      [](Output x, Output y) { return op::Xdivy(x, y); });
}

void Xlog1pyGrad(GradientContext& c) {
  PartialsGrad(
      c, [](Output x, Output y) { return op::Xlog1py(NotZero(x), y); },
      [](Output x, Output y) { return op::Xdivy(x, y + 1); });
}

void NextAfterGrad(GradientContext& c) {
  BroadcastReducer reduce(c.input(0), c.input(1));
  if (c.needs(0)) c.set(0, reduce.ForX(c.grad()));
  if (c.needs(1)) c.set(1, op::ZerosLike(c.input(1)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Add", AddGrad);
  registry.Add("AddV2", AddGrad);
  registry.Add("Sub", SubGrad);
  registry.Add("Mul", MulGrad);
  registry.Add("Div", DivGrad);
  registry.Add("RealDiv", DivGrad);
  registry.Add("DivNoNan", DivNoNanGrad);
  registry.AddNotDifferentiable("FloorDiv");
  registry.Add("FloorMod", FloorModGrad);
  registry.Add("Maximum", MaximumGrad);
  registry.Add("Minimum", MinimumGrad);
  registry.Add("SquaredDifference", SquaredDifferenceGrad);
  registry.Add("Pow", PowGrad);
  registry.AddNotDifferentiable("TruncateDiv");
  registry.Add("MulNoNan", MulNoNanGrad);
  registry.Add("Xdivy", XdivyGrad);
  registry.Add("Xlogy", XlogyGrad);
  registry.Add("Xlog1py", Xlog1pyGrad);
  registry.Add("NextAfter", NextAfterGrad);
}

}  // namespace leat::gradients::binary_math
