// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::cumulative {
namespace {

void CumsumGrad(GradientContext& c) {
  c.set(0, op::Cumsum(c.grad(), c.input(1),
                      {.exclusive = c.attr<bool>("exclusive"),
                       .reverse = !c.attr<bool>("reverse")}));
}

// Uses TensorFlow's formula, which gives a gradient of 0 where x is 0.
void CumprodGrad(GradientContext& c) {
  const bool exclusive = c.attr<bool>("exclusive");
  const Output sum =
      op::Cumsum(c.output(0) * c.grad(), c.input(1),
                 {.exclusive = exclusive, .reverse = !c.attr<bool>("reverse")});
  c.set(0, op::DivNoNan(sum, c.input(0)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Cumsum", CumsumGrad);
  registry.Add("Cumprod", CumprodGrad);
}

}  // namespace leat::gradients::cumulative
