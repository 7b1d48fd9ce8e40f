// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Shapes in gradient functions: constants where the static shape tells them, so
// that training graphs stay small, nodes otherwise.
#ifndef LEAT_GRAPH_GRADIENT_SHAPES_H_
#define LEAT_GRAPH_GRADIENT_SHAPES_H_

#include <optional>

#include "absl/types/span.h"
#include "leat/core/shape.h"
#include "leat/graph/builder.h"
#include "leat/graph/gradient_registry.h"

namespace leat::gradients {

// A constant int32 vector. Errors (a value beyond int32) go to the builder.
Output IntVector(GraphBuilder& builder, absl::Span<const int64_t> values,
                 absl::string_view name = "Const");

// The shape of `x` as a vector of int32 (or int64).
Output ShapeOf(Output x, DType dtype = DType::kInt32);

// The values of an integer scalar or vector, where they are known.
std::optional<Dims> ValuesOf(Output x);

// The same as axes in [0, rank); nothing when one is out of range.
std::optional<Dims> AxesOf(Output axes, int rank);

// All extents of `x`, where they are known.
std::optional<Dims> StaticDims(Output x);

// `x` in the shape of `like`.
Output ReshapeLike(Output x, Output like);

// For an element-wise op with broadcasting: sums a gradient, which has the
// shape of broadcast(x, y), over what was stretched, to the shape of x or y.
class BroadcastReducer {
 public:
  BroadcastReducer(Output x, Output y) : x_(x), y_(y) {}

  Output ForX(Output gradient) { return Reduce(gradient, x_, y_, 0); }
  Output ForY(Output gradient) { return Reduce(gradient, y_, x_, 1); }

 private:
  Output Reduce(Output gradient, Output to, Output other, int which);

  Output x_, y_;
  // BroadcastGradientArgs, made when first needed, and the two shapes.
  Output shapes_[2];
  Output axes_[2];
};

}  // namespace leat::gradients

#endif  // LEAT_GRAPH_GRADIENT_SHAPES_H_
