// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::batch_norm {
namespace {

// With is_training, the reserved outputs 3 and 4 hold the statistics of the
// batch. Without it, inputs 3 and 4 hold the moving statistics.
void FusedBatchNormV3Grad(GradientContext& c) {
  const bool training = c.attr<bool>("is_training");
  const auto gradient = op::FusedBatchNormGradV3(
      c.grad(0), c.input(0), c.input(1), training ? c.output(3) : c.input(3),
      training ? c.output(4) : c.input(4), c.output(5),
      {.epsilon = c.attr<float>("epsilon"),
       .data_format = c.attr<std::string>("data_format"),
       .is_training = training});
  c.set(0, gradient.x_backprop);
  c.set(1, gradient.scale_backprop);
  c.set(2, gradient.offset_backprop);
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("FusedBatchNormV3", FusedBatchNormV3Grad);
}

}  // namespace leat::gradients::batch_norm
