// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These helpers compute shapes in gradient functions (graph/gradients/). If
// shape inference knows a shape, a helper adds a constant, so that training
// graphs stay small. Otherwise the helper adds nodes that compute the shape.
// Errors go to the builder. The functions of this header are not thread-safe,
// because GraphBuilder is not.
#ifndef LEAT_GRAPH_AUTODIFF_GRADIENT_SHAPES_H_
#define LEAT_GRAPH_AUTODIFF_GRADIENT_SHAPES_H_

#include <optional>

#include "absl/types/span.h"
#include "leat/core/shape.h"
#include "leat/graph/autodiff/gradient_registry.h"
#include "leat/graph/builder/builder.h"

namespace leat::gradients {

// Adds a constant int32 vector. The builder fails with INVALID_ARGUMENT if a
// value does not fit into int32.
Output IntVector(GraphBuilder& builder, absl::Span<const int64_t> values,
                 absl::string_view name = "Const");

// Returns the shape of `x` as a vector of `dtype`, which is int32 or int64.
Output ShapeOf(Output x, DType dtype = DType::kInt32);

// Returns the values of an integer scalar or vector, or nothing if inference
// does not know them.
std::optional<Dims> ValuesOf(Output x);

// Returns the values of `axes`, each in [0, rank). A negative axis counts from
// the end, so its value is increased by `rank`. Returns nothing if inference
// does not know the values or if a value is out of range.
std::optional<Dims> AxesOf(Output axes, int rank);

// Returns the extents of `x`, or nothing if inference does not know all of
// them.
std::optional<Dims> StaticDims(Output x);

// Returns `x` reshaped to the shape of `like`.
Output ReshapeLike(Output x, Output like);

// Reduces gradients of an element-wise op of x and y with broadcasting. A
// gradient has the shape of broadcast(x, y). Summing the gradient over the axes
// along which x was stretched gives the shape of x, and likewise for y. Use one
// object for each operation, so that both reductions share their nodes.
class BroadcastReducer {
 public:
  BroadcastReducer(Output x, Output y) : x_(x), y_(y) {}

  // ForX sums `gradient`, which has the shape of broadcast(x, y), to the shape
  // of x. ForY sums it to the shape of y.
  Output ForX(Output gradient) { return Reduce(gradient, x_, y_, 0); }
  Output ForY(Output gradient) { return Reduce(gradient, y_, x_, 1); }

 private:
  // `which` is 0 if `to` is x and 1 if it is y.
  Output Reduce(Output gradient, Output to, Output other, int which);

  Output x_, y_;
  // shapes_ holds the shapes of x and y. axes_ holds the axes to sum over, for
  // x and for y. A BroadcastGradientArgs node computes the axes. All four
  // Outputs are made when they are first needed.
  Output shapes_[2];
  Output axes_[2];
};

}  // namespace leat::gradients

#endif  // LEAT_GRAPH_AUTODIFF_GRADIENT_SHAPES_H_
