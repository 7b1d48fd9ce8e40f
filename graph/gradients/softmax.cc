// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::softmax {
namespace {

Output SumOverClasses(Output x) {
  return op::Sum(x, IntVector(*x.builder(), {-1}), {.keep_dims = true});
}

void SoftmaxGrad(GradientContext& c) {
  const Output dy = c.grad();
  const Output y = c.output(0);
  c.set(0, (dy - SumOverClasses(dy * y)) * y);
}

void LogSoftmaxGrad(GradientContext& c) {
  const Output dy = c.grad();
  c.set(0, dy - SumOverClasses(dy) * op::Exp(c.output(0)));
}

// Returns the gradient of the logits. Output 1 of the op already is the
// gradient of the loss with respect to the logits. Output 1 itself has a
// gradient only in second derivatives.
Output LogitsGrad(GradientContext& c, Output loss_gradient) {
  Output result = loss_gradient * c.output(1);
  if (!c.grad_or_none(1).IsNone()) {
    const Output softmax = op::Softmax(c.input(0));
    const Output second = c.grad(1);
    result = result + (second - SumOverClasses(second * softmax)) * softmax;
  }
  return result;
}

void CrossEntropyGrad(GradientContext& c) {
  const Output dloss = op::ExpandDims(c.grad(0), -1);
  if (c.needs(0)) c.set(0, LogitsGrad(c, dloss));
  if (c.needs(1)) c.set(1, dloss * -op::LogSoftmax(c.input(0)));
}

void SparseCrossEntropyGrad(GradientContext& c) {
  c.set(0, LogitsGrad(c, op::ExpandDims(c.grad(0), -1)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Softmax", SoftmaxGrad);
  registry.Add("LogSoftmax", LogSoftmaxGrad);
  registry.Add("SoftmaxCrossEntropyWithLogits", CrossEntropyGrad);
  registry.Add("SparseSoftmaxCrossEntropyWithLogits", SparseCrossEntropyGrad);
}

}  // namespace leat::gradients::softmax
