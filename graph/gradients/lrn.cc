// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::lrn {
namespace {

void LrnGrad(GradientContext& c) {
  c.set(0, op::LRNGrad(c.grad(), c.input(0), c.output(0),
                       {.depth_radius = c.attr<int64_t>("depth_radius"),
                        .bias = c.attr<float>("bias"),
                        .alpha = c.attr<float>("alpha"),
                        .beta = c.attr<float>("beta")}));
}

}  // namespace

void Register(GradientRegistry& registry) { registry.Add("LRN", LrnGrad); }

}  // namespace leat::gradients::lrn
