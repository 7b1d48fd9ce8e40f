// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Initial values of variables, as TensorFlow's Python builds them: the same
// nodes with the same names and seeds give the same numbers.
#ifndef LEAT_TRAIN_NN_INITIALIZERS_H_
#define LEAT_TRAIN_NN_INITIALIZERS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "leat/graph/builder.h"

namespace leat::nn {

// Builds a tensor of that shape and (floating, but for the constants) dtype.
using Initializer = std::function<Output(GraphBuilder&, const Shape&, DType)>;

Initializer Zeros();
Initializer Ones();
Initializer Constant(double value);

// Without a seed the op's follows from the graph's (GraphBuilder::OpSeeds).
struct RandomUniformAttrs {
  double min = -0.05;
  double max = 0.05;
  std::optional<int64_t> seed = {};
};
Initializer RandomUniform(RandomUniformAttrs attrs = {});

struct NormalAttrs {
  double mean = 0.0;
  double stddev = 0.05;
  std::optional<int64_t> seed = {};
};
Initializer RandomNormal(NormalAttrs attrs = {});
// Redrawn beyond two standard deviations.
Initializer TruncatedNormal(NormalAttrs attrs = {});

// Uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010); of a
// convolution's filter the fans count its spatial extent.
Initializer GlorotUniform(std::optional<int64_t> seed = {});
// Truncated normal of variance 2 / fan_in (He et al. 2015).
Initializer HeNormal(std::optional<int64_t> seed = {});

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_INITIALIZERS_H_
