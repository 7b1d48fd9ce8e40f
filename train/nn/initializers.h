// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Initializers are functions that build the initial values of variables. They
// add the same nodes as TensorFlow's Python, with the same names and seeds, and
// so give the same numbers.
//
//   Output y = nn::Dense(
//       x, {.units = 10, .kernel_initializer = nn::HeNormal(7)});
//   Output z = nn::Dense(y, {.units = 1, .bias_initializer = nn::Ones()});
//
// Initializers also make the first value of a variable that belongs to no
// layer:
//
//   const Shape shape = {10, 4};
//   Variable table = b.GetVariable("table", DType::kFloat, shape, [&] {
//     return nn::RandomNormal({.stddev = 0.1})(b, shape, DType::kFloat, shape);
//   });
#ifndef LEAT_TRAIN_NN_INITIALIZERS_H_
#define LEAT_TRAIN_NN_INITIALIZERS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "leat/graph/builder/builder.h"

namespace leat::nn {

// Builds a tensor of the given shape and dtype, for a variable of shape
// `whole`. Both shapes are the same unless the variable is partitioned. The
// dtype must be a floating-point one, except for Zeros, Ones and Constant.
// Outside of a layer, errors name the place where the initializer was made.
using Initializer = std::function<Output(GraphBuilder&, const Shape& shape,
                                         DType, const Shape& whole)>;

// Zeros, Ones and Constant return initializers that set all elements to 0, to 1
// and to `value`.
Initializer Zeros(SourceLocation location = SourceLocation::Current());
Initializer Ones(SourceLocation location = SourceLocation::Current());
Initializer Constant(double value,
                     SourceLocation location = SourceLocation::Current());

// Holds the attributes of RandomUniform. Elements are uniform in [min, max).
struct RandomUniformAttrs {
  double min = -0.05;
  double max = 0.05;
  // Is the seed of the op. If absent, GraphBuilder::OpSeeds decides.
  std::optional<int64_t> seed = {};
};
// Returns an initializer that draws from a uniform distribution.
Initializer RandomUniform(RandomUniformAttrs attrs = {},
                          SourceLocation location = SourceLocation::Current());

// Holds the attributes of RandomNormal and TruncatedNormal.
struct NormalAttrs {
  double mean = 0.0;
  double stddev = 0.05;
  // Is the seed of the op, as in RandomUniformAttrs.
  std::optional<int64_t> seed = {};
};
// Returns an initializer that draws from a normal distribution.
Initializer RandomNormal(NormalAttrs attrs = {},
                         SourceLocation location = SourceLocation::Current());
// Returns an initializer that draws from a normal distribution. Values beyond
// two standard deviations are drawn again.
Initializer TruncatedNormal(
    NormalAttrs attrs = {},
    SourceLocation location = SourceLocation::Current());

// Returns an initializer that draws from the uniform distribution between
// -limit and limit, where limit = sqrt(6 / (fan_in + fan_out)) (Glorot and
// Bengio 2010). The fans are the numbers of inputs and outputs of each unit.
// They are computed from the shape of the whole variable. For the filter of a
// convolution they include the spatial extents of the filter.
Initializer GlorotUniform(std::optional<int64_t> seed = {},
                          SourceLocation location = SourceLocation::Current());
// Returns an initializer that draws from a truncated normal distribution of
// variance 2 / fan_in (He et al. 2015).
Initializer HeNormal(std::optional<int64_t> seed = {},
                     SourceLocation location = SourceLocation::Current());

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_INITIALIZERS_H_
