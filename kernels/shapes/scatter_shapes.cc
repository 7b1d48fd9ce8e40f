// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/scatter_shapes.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

absl::Status CheckShapes(const Tensor& indices, const Tensor& updates,
                         const Shape& shape) {
  const auto mismatch = [&] {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shapes of indices ", indices.shape().DebugString(), ", updates ",
        updates.shape().DebugString(), " and output ", shape.DebugString(),
        " do not fit together"));
  };
  const auto no_scalar = [](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " shape must have rank at least one. Found:[]"));
  };
  if (indices.rank() < 1) return no_scalar("Indices");
  if (updates.rank() < 1) return no_scalar("Updates");
  const int outer = indices.rank() - 1;
  const int64_t depth = indices.dim(outer);
  if (depth > shape.rank() ||
      updates.rank() != outer + shape.rank() - static_cast<int>(depth)) {
    return mismatch();
  }
  for (int i = 0; i < updates.rank(); ++i) {
    const int64_t expected =
        i < outer ? indices.dim(i)
                  : shape.dim(i - outer + static_cast<int>(depth));
    if (updates.dim(i) != expected) return mismatch();
  }
  if (outer == 0 && (depth > 0 || updates.dim(0) > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Indices of shape ", indices.shape().DebugString(),
                     " are a single point, which must be the row of a matrix"));
  }
  return absl::OkStatus();
}

// Checks that the indices and the updates are both empty or both not empty. If
// they are not empty, the output must have elements. An output that is a scalar
// is an error, too. The rules are TensorFlow's.
absl::Status CheckCounts(const Tensor& indices, const Tensor& updates,
                         const Shape& output) {
  const bool has_indices = indices.num_elements() > 0;
  const bool has_updates = updates.num_elements() > 0;
  const bool has_output = output.rank() > 0 && output.num_elements() > 0;
  if (has_indices != has_updates || (has_updates && !has_output)) {
    return absl::InvalidArgumentError(
        "Indices and updates specified for empty output shape");
  }
  if (output.rank() == 0) {
    return absl::InvalidArgumentError(
        "Output must be at least 1-D, got shape: []");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckScatterNd(const Tensor& indices, const Tensor& updates,
                            const Shape& output) {
  LEAT_RETURN_IF_ERROR(CheckShapes(indices, updates, output));
  return CheckCounts(indices, updates, output);
}

absl::StatusOr<Shape> ScatterNdShape(const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(Shape shape, GetShape(context.input(2), "shape"));
  LEAT_RETURN_IF_ERROR(
      CheckScatterNd(context.input(0), context.input(1), shape));
  return shape;
}

absl::Status CheckScatterUpdates(const Shape& params, const Shape& indices,
                                 const Shape& updates) {
  if (params.rank() < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "params must be at least 1-D, got shape ", params.DebugString()));
  }
  if (updates.IsScalar()) return absl::OkStatus();
  Dims expected(indices.dims().begin(), indices.dims().end());
  expected.insert(expected.end(), params.dims().begin() + 1,
                  params.dims().end());
  if (updates.dims() == absl::MakeConstSpan(expected)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Must have updates.shape = indices.shape + params.shape[1:] or "
      "updates.shape = [], got updates.shape ",
      updates.DebugString(), ", indices.shape ", indices.DebugString(),
      ", params.shape ", params.DebugString()));
}

absl::StatusOr<SegmentPlan> PlanSegments(const KernelContext& context) {
  const Shape& data = context.input(0).shape();
  const Shape& ids = context.input(1).shape();
  LEAT_RETURN_IF_ERROR(CheckScalar(context.input(2), "num_segments"));
  LEAT_ASSIGN_OR_RETURN(const Dims counts,
                        GetIndices(context.input(2), "num_segments"));
  SegmentPlan plan;
  plan.segments = counts[0];
  if (plan.segments < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Input num_segments == ", plan.segments, " must not be negative."));
  }
  if (ids.rank() > data.rank() ||
      ids.dims() != data.dims().first(static_cast<size_t>(ids.rank()))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "data.shape = ", data.DebugString(),
        " does not start with segment_ids.shape = ", ids.DebugString()));
  }
  Dims dims = {plan.segments};
  for (int i = ids.rank(); i < data.rank(); ++i) {
    dims.push_back(data.dim(i));
    if (data.num_elements() > 0) plan.inner *= data.dim(i);
  }
  LEAT_ASSIGN_OR_RETURN(plan.output, Shape::Create(dims));
  return plan;
}

}  // namespace leat::kernels
