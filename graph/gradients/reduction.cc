// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::reduction {
namespace {

const Tensor& MinusOne() {
  static const Tensor* const tensor = new Tensor(Tensor::Vector({-1}));
  return *tensor;
}

// Returns the axes as a vector of values in [0, rank). The vector is computed
// when the graph runs.
Output NormalAxes(Output axes, Output rank) {
  const Output flat = op::Reshape(axes, MinusOne());
  const Output narrow =
      axes.dtype() == DType::kInt32 ? flat : op::Cast(flat, DType::kInt32);
  return op::FloorMod(narrow + rank, rank);
}

// Returns the shape of `x` with extent 1 at the reduced axes. The shape is
// computed when the graph runs.
Output KeptShape(Output x, Output axes) {
  const Output shape = ShapeOf(x);
  const Output rank = op::Rank(x);
  const Output normal = NormalAxes(axes, rank);
  return op::DynamicStitch({op::Range(0, rank, 1), normal},
                           {shape, op::OnesLike(normal)});
}

// `t` has the shape of the output. Returns `t`, reshaped so that it broadcasts
// against the input.
Output Aligned(GradientContext& c, Output t) {
  const Output x = c.input(0);
  if (c.attr<bool>("keep_dims")) return t;
  if (t.shape().rank_known() && t.shape().rank() == 0) return t;
  if (!x.shape().rank_known()) {
    return op::Reshape(t, KeptShape(x, c.input(1)));
  }
  const PartialShape shape = x.shape();
  const int rank = shape.rank();
  const std::optional<Dims> axes = AxesOf(c.input(1), rank);
  if (!axes.has_value()) return op::Reshape(t, KeptShape(x, c.input(1)));
  Dims dims(shape.dims().begin(), shape.dims().end());
  for (int64_t axis : *axes) dims[axis] = 1;
  // Reduced axes at the front may be left out instead of getting extent 1,
  // because shapes are aligned from the right.
  bool leading = true;
  int unknown = 0;
  for (int i = 0; i < rank; ++i) {
    const bool reduced = std::count(axes->begin(), axes->end(), i) > 0;
    if (reduced && i > 0 &&
        std::count(axes->begin(), axes->end(), i - 1) == 0) {
      leading = false;
    }
    unknown += dims[i] == PartialShape::kUnknown;
  }
  if (leading) return t;
  // Reshape finds one unknown extent by itself if no other extent is 0.
  const bool empty = std::count(dims.begin(), dims.end(), 0) > 0;
  if (unknown > 1 || (unknown == 1 && empty)) {
    return op::Reshape(t, KeptShape(x, c.input(1)));
  }
  return op::Reshape(t, IntVector(c.builder(), dims, "Reshape/shape"));
}

void SumGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::BroadcastTo(Aligned(c, c.grad()), ShapeOf(c.input(0))));
}

// Returns the number of input elements that one output element averages, as a
// scalar of `dtype`.
Output Count(GradientContext& c, DType dtype) {
  const std::optional<Dims> in = StaticDims(c.input(0));
  const std::optional<Dims> out = StaticDims(c.output(0));
  int64_t num_in = 1;
  int64_t num_out = 1;
  if (in.has_value())
    for (int64_t d : *in) num_in *= d;
  if (out.has_value())
    for (int64_t d : *out) num_out *= d;
  if (in.has_value() && out.has_value()) {
    const int64_t count = num_in / std::max<int64_t>(num_out, 1);
    if (dtype == DType::kFloat) {
      return c.builder().Const(static_cast<float>(count));
    }
    return op::Cast(c.builder().Const(count), dtype);
  }
  Output count = op::Size(c.input(0));
  if (!out.has_value() || num_out != 1) {
    count = op::FloorDiv(count, op::Maximum(op::Size(c.output(0)), 1));
  }
  return op::Cast(count, dtype);
}

void MeanGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output dy = c.grad();
  const Output share = dy / Count(c, dy.dtype());
  c.set(0, op::BroadcastTo(Aligned(c, share), ShapeOf(c.input(0))));
}

void EuclideanNormGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, c.input(0) / Aligned(c, c.output(0) / c.grad()));
}

// If several elements are the extremum, they share the gradient.
void ExtremumGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output x = c.input(0);
  const Output dy = c.grad();
  const Output is_extremum =
      op::Cast(op::Equal(Aligned(c, c.output(0)), x), dy.dtype());
  const Output count = op::Sum(is_extremum, c.input(1), {.keep_dims = true});
  c.set(0, is_extremum / count * Aligned(c, dy));
}

// Describes a transposition that moves the reduced axes to the front.
struct ReducedFirst {
  Output order, back;  // the permutation and its inverse
  Output count;        // number of reduced axes, as a vector of one element
};

ReducedFirst ReducedFirstOf(GraphBuilder& b, Dims axes, int rank) {
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  Dims order = axes;
  for (int i = 0; i < rank; ++i) {
    if (std::count(axes.begin(), axes.end(), i) == 0) order.push_back(i);
  }
  Dims back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  return {.order = IntVector(b, order),
          .back = IntVector(b, back),
          .count = IntVector(b, {static_cast<int64_t>(axes.size())})};
}

// Returns the transposition for `x` and `axes`. The rank of `x` and the values
// of `axes` may be known only when the graph runs.
ReducedFirst ReducedFirstOf(Output x, Output axes) {
  const Output rank = op::Rank(x);
  const Output normal = NormalAxes(axes, rank);
  const Output uses =
      op::UnsortedSegmentSum(op::OnesLike(normal), normal, rank);
  const auto positions = [](Output mask) {
    return op::Reshape(op::Cast(op::Where(mask), DType::kInt32), MinusOne());
  };
  const Output reduced = positions(op::Greater(uses, 0));
  const Output order =
      op::ConcatV2({reduced, positions(op::Equal(uses, 0))}, 0);
  return {.order = order,
          .back = op::InvertPermutation(order),
          .count = op::Shape(reduced)};
}

// The gradient of an element is the product of the other elements. It is
// computed without a division by the element, which may be 0. To do this, the
// reduced axes are moved to the front and flattened into one axis. Along that
// axis, the product of all elements before an element is multiplied by the
// product of all elements after it.
void ProdGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output x = c.input(0);
  GraphBuilder& b = c.builder();
  std::optional<Dims> axes;
  if (x.shape().rank_known()) axes = AxesOf(c.input(1), x.shape().rank());
  const ReducedFirst first = axes.has_value()
                                 ? ReducedFirstOf(b, *axes, x.shape().rank())
                                 : ReducedFirstOf(x, c.input(1));
  const Output moved = op::Transpose(x, first.order);
  const Output shape = ShapeOf(moved);
  const Tensor zero = Tensor::Vector<int32_t>({0});
  const Output rows =
      op::Prod(op::Slice(shape, zero, first.count), zero, {.keep_dims = true});
  const Output columns = op::Prod(op::Slice(shape, first.count, MinusOne()),
                                  zero, {.keep_dims = true});
  const Output matrix = op::Reshape(moved, op::ConcatV2({rows, columns}, 0));
  const Output before = op::Cumprod(matrix, 0, {.exclusive = true});
  const Output after =
      op::Cumprod(matrix, 0, {.exclusive = true, .reverse = true});
  const Output others =
      op::Transpose(op::Reshape(before * after, shape), first.back);
  c.set(0, ReshapeLike(Aligned(c, c.grad()) * others, x));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Sum", SumGrad);
  registry.Add("Mean", MeanGrad);
  registry.Add("EuclideanNorm", EuclideanNormGrad);
  registry.Add("Prod", ProdGrad);
  registry.Add("Max", ExtremumGrad);
  registry.Add("Min", ExtremumGrad);
}

}  // namespace leat::gradients::reduction
