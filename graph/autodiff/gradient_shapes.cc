// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/graph/ops.h"

namespace leat::gradients {
namespace {

// Holds the axes of broadcast(to, other) along which `to` was stretched.
struct Stretched {
  Dims leading = {};  // axes that `to` does not have
  Dims ones = {};     // axes where `to` has extent 1
};
// Returns the axes along which broadcasting `to` against `other` stretches
// `to`. Returns nothing if the axes depend on unknown extents.
std::optional<Stretched> StretchedAxes(const PartialShape& to,
                                       const PartialShape& other) {
  Stretched result;
  if (!to.rank_known()) return std::nullopt;
  if (to.rank() > 0 && !other.rank_known()) return std::nullopt;
  const int rank = std::max(to.rank(), other.rank());
  for (int axis = 0; axis < rank; ++axis) {
    const int i = axis - (rank - to.rank());
    const int k = axis - (rank - other.rank());
    if (i < 0) {
      result.leading.push_back(axis);
      continue;
    }
    if (k < 0) continue;
    const int64_t a = to.dim(i);
    const int64_t b = other.dim(k);
    // If `a` is unknown and `b` is not 1, the axis is stretched only in steps
    // in which `a` is 1. So the stretched axes are unknown before the step.
    if (a == 1 && b != 1) result.ones.push_back(axis);
    if (a == PartialShape::kUnknown && b != 1) return std::nullopt;
  }
  return result;
}

}  // namespace

Output IntVector(GraphBuilder& builder, absl::Span<const int64_t> values,
                 absl::string_view name) {
  std::vector<int32_t> narrow;
  for (int64_t value : values) {
    if (value > std::numeric_limits<int32_t>::max() ||
        value < std::numeric_limits<int32_t>::min()) {
      builder.Fail(absl::InvalidArgumentError(absl::StrCat(
                       "constant '", builder.name_prefix(), name, "': extent ",
                       value, " does not fit into an int32")),
                   SourceLocation{});
    }
    narrow.push_back(static_cast<int32_t>(value));
  }
  return builder.Const(Tensor::FromSpan<int32_t>(
                           Shape{static_cast<int64_t>(narrow.size())}, narrow),
                       name);
}

std::optional<Dims> StaticDims(Output x) {
  const PartialShape shape = x.shape();
  if (!shape.IsFullyKnown()) return std::nullopt;
  return Dims(shape.dims().begin(), shape.dims().end());
}

Output ShapeOf(Output x, DType dtype) {
  const std::optional<Dims> dims = StaticDims(x);
  if (!dims.has_value() || x.builder() == nullptr) {
    return op::Shape(x, {.out_type = dtype});
  }
  if (dtype == DType::kInt32) return IntVector(*x.builder(), *dims, "Shape");
  return x.builder()->Const(
      Tensor::FromSpan<int64_t>(Shape{static_cast<int64_t>(dims->size())},
                                *dims),
      "Shape");
}

std::optional<Dims> ValuesOf(Output x) {
  if (x.builder() == nullptr) return std::nullopt;
  const InferredOutput* inferred = x.builder()->inferred(x.endpoint());
  if (inferred == nullptr || inferred->value == nullptr) return std::nullopt;
  absl::StatusOr<Dims> values = GetIndices(*inferred->value, "values");
  if (!values.ok()) return std::nullopt;
  return *values;
}

std::optional<Dims> AxesOf(Output axes, int rank) {
  std::optional<Dims> values = ValuesOf(axes);
  if (!values.has_value()) return std::nullopt;
  for (int64_t& axis : *values) {
    const absl::StatusOr<int> normal = NormalizeAxis(axis, rank);
    if (!normal.ok()) return std::nullopt;
    axis = *normal;
  }
  return values;
}

Output ReshapeLike(Output x, Output like) {
  return op::Reshape(x, ShapeOf(like));
}

Output BroadcastReducer::Reduce(Output gradient, Output to, Output other,
                                int which) {
  const std::optional<Stretched> axes =
      StretchedAxes(to.shape(), other.shape());
  const PartialShape target = to.shape();
  if (target.rank_known() && target.rank() == 0 &&
      !other.shape().rank_known()) {
    return op::Sum(gradient, op::Range(0, op::Rank(gradient), 1));
  }
  if (axes.has_value()) {
    Dims all = axes->leading;
    all.insert(all.end(), axes->ones.begin(), axes->ones.end());
    if (all.empty()) return gradient;
    const bool keep = axes->leading.empty();
    const Output sum =
        op::Sum(gradient, IntVector(*gradient.builder(), all, "Const"),
                {.keep_dims = keep});
    return keep || axes->ones.empty() ? sum : ReshapeLike(sum, to);
  }
  if (axes_[0].builder() == nullptr) {
    shapes_[0] = ShapeOf(x_);
    shapes_[1] = ShapeOf(y_);
    const auto reduced = op::BroadcastGradientArgs(shapes_[0], shapes_[1]);
    axes_[0] = reduced.r0;
    axes_[1] = reduced.r1;
  }
  return op::Reshape(op::Sum(gradient, axes_[which]), shapes_[which]);
}

}  // namespace leat::gradients
