// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/initializers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "leat/graph/ops.h"

namespace leat::nn {
namespace {

// Larger constants are filled in at run time, which keeps graphs small.
constexpr int64_t kMaxConstantElements = 1000;

// Returns the shape as a constant. As in TensorFlow, the constant is int32 if
// all extents fit into int32.
Output ShapeConst(GraphBuilder& b, const Shape& shape, const char* name) {
  const Shape rank{static_cast<int64_t>(shape.rank())};
  const bool is_wide = std::any_of(
      shape.dims().begin(), shape.dims().end(),
      [](int64_t dim) { return dim > std::numeric_limits<int32_t>::max(); });
  if (is_wide) {
    return b.Const(Tensor::FromSpan<int64_t>(rank, shape.dims()), name);
  }
  const std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  return b.Const(Tensor::FromSpan<int32_t>(rank, dims), name);
}

// Returns an initializer that fills the tensor with `value`.
Initializer Fill(double value, const char* name, SourceLocation location) {
  return [=](GraphBuilder& b, const Shape& shape, DType dtype, const Shape&) {
    const Scope site = b.CallSite(location);
    if (shape.rank() == 0) return b.AsOutput(Operand(value), dtype, name);
    if (dtype == DType::kFloat && shape.num_elements() < kMaxConstantElements) {
      return b.Const(Tensor::Filled<float>(shape, static_cast<float>(value)),
                     name);
    }
    std::string result;
    Output dims, element;
    {
      Scope scope = b.NameScope(name);
      result = b.name_prefix();
      dims = ShapeConst(b, shape, "shape_as_tensor");
      element = b.AsOutput(Operand(value), dtype, "Const");
    }
    return AddOp({.op = "Fill", .inputs = {dims, element}, .name = result})
        .output(0);
  };
}

// Adds nodes that compute scale * random + shift, with TensorFlow's names. The
// seeds are taken after the constants were added, because the seeds depend on
// the number of nodes.
struct Random {
  const char* op = "";
  const char* scope = "";
  const char* names[2] = {"", ""};
  bool uniform = false;
  double first = 0.0;   // min or mean
  double second = 0.0;  // max or standard deviation
  std::optional<int64_t> seed = {};
  SourceLocation location = {};

  Output operator()(GraphBuilder& b, const Shape& shape, DType dtype,
                    const Shape&) const {
    const Scope site = b.CallSite(location);
    Scope name_scope = b.NameScope(scope);
    const std::string result = b.name_prefix();
    const Output dims = ShapeConst(b, shape, "shape");
    const Output low = b.AsOutput(Operand(first), dtype, names[0]);
    const Output high = b.AsOutput(Operand(second), dtype, names[1]);
    const std::pair<int64_t, int64_t> seeds = b.OpSeeds(seed);
    const Output random = AddOp({.op = op,
                                 .inputs = {dims},
                                 .attrs = {{"dtype", dtype},
                                           {"seed", seeds.first},
                                           {"seed2", seeds.second}}})
                              .output(0);
    const Output scaled = uniform ? random * (high - low) : random * high;
    return AddOp({.op = "AddV2", .inputs = {scaled, low}, .name = result})
        .output(0);
  }
};

// Holds the numbers of inputs and outputs of each unit of a layer.
struct Fans {
  double in = 1;
  double out = 1;
};

Fans FansOf(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return {};
  if (rank == 1) {
    const double n = static_cast<double>(shape.dim(0));
    return {.in = n, .out = n};
  }
  double receptive = 1;
  for (int i = 0; i + 2 < rank; ++i) {
    receptive *= static_cast<double>(shape.dim(i));
  }
  return {.in = receptive * static_cast<double>(shape.dim(rank - 2)),
          .out = receptive * static_cast<double>(shape.dim(rank - 1))};
}

}  // namespace

Initializer Zeros(SourceLocation location) {
  return Fill(0.0, "zeros", location);
}
Initializer Ones(SourceLocation location) {
  return Fill(1.0, "ones", location);
}
Initializer Constant(double value, SourceLocation location) {
  return Fill(value, "Const", location);
}

Initializer RandomUniform(RandomUniformAttrs attrs, SourceLocation location) {
  return Random{.op = "RandomUniform",
                .scope = "random_uniform",
                .names = {"min", "max"},
                .uniform = true,
                .first = attrs.min,
                .second = attrs.max,
                .seed = attrs.seed,
                .location = location};
}

Initializer RandomNormal(NormalAttrs attrs, SourceLocation location) {
  return Random{.op = "RandomStandardNormal",
                .scope = "random_normal",
                .names = {"mean", "stddev"},
                .first = attrs.mean,
                .second = attrs.stddev,
                .seed = attrs.seed,
                .location = location};
}

Initializer TruncatedNormal(NormalAttrs attrs, SourceLocation location) {
  return Random{.op = "TruncatedNormal",
                .scope = "truncated_normal",
                .names = {"mean", "stddev"},
                .first = attrs.mean,
                .second = attrs.stddev,
                .seed = attrs.seed,
                .location = location};
}

Initializer GlorotUniform(std::optional<int64_t> seed,
                          SourceLocation location) {
  return [=](GraphBuilder& b, const Shape& shape, DType dtype,
             const Shape& whole) {
    const Fans fans = FansOf(whole);
    const double limit = std::sqrt(6.0 / std::max(1.0, fans.in + fans.out));
    return RandomUniform({.min = -limit, .max = limit, .seed = seed}, location)(
        b, shape, dtype, whole);
  };
}

Initializer HeNormal(std::optional<int64_t> seed, SourceLocation location) {
  return [=](GraphBuilder& b, const Shape& shape, DType dtype,
             const Shape& whole) {
    // Is the standard deviation of a unit normal distribution that is cut off
    // at -2 and 2.
    constexpr double kTruncated = .87962566103423978;
    const double stddev =
        std::sqrt(2.0 / std::max(1.0, FansOf(whole).in)) / kTruncated;
    return TruncatedNormal({.stddev = stddev, .seed = seed}, location)(
        b, shape, dtype, whole);
  };
}

}  // namespace leat::nn
