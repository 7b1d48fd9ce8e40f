// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::batch_norm {
namespace {

// Holds the mean and the variance that normalized x. With is_training, the
// reserved outputs 3 and 4 hold the statistics of the batch. Without it, inputs
// 3 and 4 hold the moving statistics.
struct Statistics {
  explicit Statistics(GradientContext& c)
      : training(c.attr<bool>("is_training")),
        mean(training ? c.output(3) : c.input(3)),
        variance(training ? c.output(4) : c.input(4)) {}
  bool training;
  Output mean, variance;
};

template <class Gradient>
void Set(GradientContext& c, const Gradient& gradient) {
  c.set(0, gradient.x_backprop);
  c.set(1, gradient.scale_backprop);
  c.set(2, gradient.offset_backprop);
}

void FusedBatchNormV3Grad(GradientContext& c) {
  const Statistics s(c);
  Set(c, op::FusedBatchNormGradV3(
             c.grad(0), c.input(0), c.input(1), s.mean, s.variance, c.output(5),
             {.epsilon = c.attr<float>("epsilon"),
              .data_format = c.attr<std::string>("data_format"),
              .is_training = s.training}));
}

// Versions 1 and 2 have no third reserved output.
void FusedBatchNormV2Grad(GradientContext& c) {
  const Statistics s(c);
  Set(c, op::FusedBatchNormGradV2(
             c.grad(0), c.input(0), c.input(1), s.mean, s.variance,
             {.epsilon = c.attr<float>("epsilon"),
              .data_format = c.attr<std::string>("data_format"),
              .is_training = s.training}));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("FusedBatchNorm", FusedBatchNormV2Grad);
  registry.Add("FusedBatchNormV2", FusedBatchNormV2Grad);
  registry.Add("FusedBatchNormV3", FusedBatchNormV3Grad);
}

}  // namespace leat::gradients::batch_norm
