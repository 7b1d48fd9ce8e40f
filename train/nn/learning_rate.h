// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Learning-rate schedules: float scalars computed from a global step, an
// integer scalar such as GlobalStep(b).value(). TensorFlow's formulas
// (tf.compat.v1.train).
#ifndef LEAT_TRAIN_NN_LEARNING_RATE_H_
#define LEAT_TRAIN_NN_LEARNING_RATE_H_

#include <cstdint>
#include <vector>

#include "leat/graph/builder.h"

namespace leat::nn {

// The variable "global_step" (int64, 0 at first) that Minimize can count up.
Variable GlobalStep(GraphBuilder& builder,
                    SourceLocation location = SourceLocation::Current());

Output ConstantRate(GraphBuilder& builder, double rate,
                    SourceLocation location = SourceLocation::Current());

// initial * rate^(step / steps), the exponent floored with `staircase`.
struct ExponentialDecayAttrs {
  double initial = 0.1;
  int64_t steps = 1000;
  double rate = 0.96;
  bool staircase = false;
};
Output ExponentialDecay(Output step, ExponentialDecayAttrs attrs = {},
                        SourceLocation location = SourceLocation::Current());

// rates[i] while step <= boundaries[i], the last rate after all boundaries,
// which ascend. One rate more than boundaries.
struct PiecewiseConstantAttrs {
  std::vector<int64_t> boundaries = {};
  std::vector<double> rates = {0.1};
};
Output PiecewiseConstant(Output step, PiecewiseConstantAttrs attrs = {},
                         SourceLocation location = SourceLocation::Current());

// From initial down to alpha * initial along half a cosine (Loshchilov and
// Hutter 2017), constant after `steps`.
struct CosineDecayAttrs {
  double initial = 0.1;
  int64_t steps = 1000;
  double alpha = 0.0;
};
Output CosineDecay(Output step, CosineDecayAttrs attrs = {},
                   SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_LEARNING_RATE_H_
