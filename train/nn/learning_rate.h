// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Learning-rate schedules are float scalars that are computed from a global
// step, with the formulas of TensorFlow (tf.compat.v1.train).
//
//   Variable step = nn::GlobalStep(b);
//   Output rate = nn::ExponentialDecay(step.value(), {.initial = 0.1});
//   Operation train = nn::GradientDescent({.learning_rate = rate})
//                         .Minimize(loss, {.global_step = step});
//
// Other schedules fall in stairs, or along a cosine to a tenth of the first
// rate:
//
//   Output stairs = nn::PiecewiseConstant(
//       step.value(), {.boundaries = {1000, 5000}, .rates = {0.1, 0.01,
//       1e-3}});
//   Output cosine = nn::CosineDecay(
//       step.value(), {.initial = 0.1, .steps = 10000, .alpha = 0.1});
//
// The step is an integer scalar. Errors go to its builder.
#ifndef LEAT_TRAIN_NN_LEARNING_RATE_H_
#define LEAT_TRAIN_NN_LEARNING_RATE_H_

#include <cstdint>
#include <vector>

#include "leat/graph/builder/builder.h"

namespace leat::nn {

// Returns the variable "global_step" (int64, initially 0). The first call makes
// the variable. Minimize can add one to it in each step.
Variable GlobalStep(GraphBuilder& builder,
                    SourceLocation location = SourceLocation::Current());

// Returns the constant `rate`.
Output ConstantRate(GraphBuilder& builder, double rate,
                    SourceLocation location = SourceLocation::Current());

// Holds the attributes of ExponentialDecay.
struct ExponentialDecayAttrs {
  double initial = 0.1;
  int64_t steps = 1000;  // steps per multiplication by `rate`
  double rate = 0.96;
  bool staircase = false;  // if true, rounds the exponent down
};
// Returns initial * rate^(step / steps).
Output ExponentialDecay(Output step, ExponentialDecayAttrs attrs = {},
                        SourceLocation location = SourceLocation::Current());

// Holds the attributes of PiecewiseConstant. `boundaries` must ascend, and
// there must be one more rate than boundaries.
struct PiecewiseConstantAttrs {
  std::vector<int64_t> boundaries = {};
  std::vector<double> rates = {0.1};
};
// Returns rates[i] while step <= boundaries[i], and the last rate after all
// boundaries.
Output PiecewiseConstant(Output step, PiecewiseConstantAttrs attrs = {},
                         SourceLocation location = SourceLocation::Current());

// Holds the attributes of CosineDecay.
struct CosineDecayAttrs {
  double initial = 0.1;
  int64_t steps = 1000;  // the rate is constant afterwards
  double alpha = 0.0;    // final rate / initial rate
};
// Returns a rate that falls from `initial` to `alpha` * `initial` along half a
// cosine (Loshchilov and Hutter 2017).
Output CosineDecay(Output step, CosineDecayAttrs attrs = {},
                   SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_LEARNING_RATE_H_
