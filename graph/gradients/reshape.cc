// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::reshape {
namespace {

void ReshapeGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, ReshapeLike(c.grad(), c.input(0)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Reshape", ReshapeGrad);
  registry.Add("Squeeze", ReshapeGrad);
  registry.Add("ExpandDims", ReshapeGrad);
}

}  // namespace leat::gradients::reshape
