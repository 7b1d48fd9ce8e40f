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

// Builds a tensor of that shape and (floating, but for the constants) dtype,
// for a variable of shape `whole`: the same one, unless it is partitioned.
// Outside of a layer, errors name the place where the initializer was made.
using Initializer = std::function<Output(GraphBuilder&, const Shape& shape,
                                         DType, const Shape& whole)>;

Initializer Zeros(SourceLocation location = SourceLocation::Current());
Initializer Ones(SourceLocation location = SourceLocation::Current());
Initializer Constant(double value,
                     SourceLocation location = SourceLocation::Current());

// Without a seed the op's follows from the graph's (GraphBuilder::OpSeeds).
struct RandomUniformAttrs {
  double min = -0.05;
  double max = 0.05;
  std::optional<int64_t> seed = {};
};
Initializer RandomUniform(RandomUniformAttrs attrs = {},
                          SourceLocation location = SourceLocation::Current());

struct NormalAttrs {
  double mean = 0.0;
  double stddev = 0.05;
  std::optional<int64_t> seed = {};
};
Initializer RandomNormal(NormalAttrs attrs = {},
                         SourceLocation location = SourceLocation::Current());
// Redrawn beyond two standard deviations.
Initializer TruncatedNormal(
    NormalAttrs attrs = {},
    SourceLocation location = SourceLocation::Current());

// Uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010). The fans
// are the whole variable's; of a convolution's filter they count its spatial
// extent.
Initializer GlorotUniform(std::optional<int64_t> seed = {},
                          SourceLocation location = SourceLocation::Current());
// Truncated normal of variance 2 / fan_in (He et al. 2015).
Initializer HeNormal(std::optional<int64_t> seed = {},
                     SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_INITIALIZERS_H_
