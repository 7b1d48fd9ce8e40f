// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/pooling_plan.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/elementwise.h"

namespace leat::kernels {
namespace {

absl::StatusOr<functors::WindowAxis> PlaceAxis(int64_t extent,
                                               const Window& window) {
  LEAT_ASSIGN_OR_RETURN(const WindowPositions placed,
                        PlaceWindow(extent, window));
  return functors::WindowAxis{.extent = extent,
                              .positions = placed.count,
                              .size = window.size,
                              .stride = window.stride,
                              .before = placed.before};
}

absl::Status CheckShape(absl::string_view what, const Shape& got,
                        const Shape& expected) {
  if (got == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Expected ", what, " shape to be ", expected.DebugString(),
                   ", but got ", got.DebugString()));
}

}  // namespace

absl::StatusOr<PoolingPlan> PlanPooling(const WindowAttrs& attrs,
                                        const Shape& input,
                                        absl::string_view what) {
  LEAT_ASSIGN_OR_RETURN(ImageShape image, ToImageShape(attrs, input, what));
  PoolingPlan plan;
  plan.input = input;
  if (attrs.axes.has_depth()) {
    LEAT_ASSIGN_OR_RETURN(plan.planes, PlaceAxis(image.depth, attrs.depth));
  }
  LEAT_ASSIGN_OR_RETURN(plan.rows, PlaceAxis(image.height, attrs.height));
  LEAT_ASSIGN_OR_RETURN(plan.columns, PlaceAxis(image.width, attrs.width));
  plan.images = image.batch;
  plan.channels = image.channels;
  if (attrs.channels_first) {
    LEAT_ASSIGN_OR_RETURN(plan.images,
                          CheckedMultiply(image.batch, image.channels));
    plan.channels = 1;
  }
  image.depth = plan.planes.positions;
  image.height = plan.rows.positions;
  image.width = plan.columns.positions;
  LEAT_ASSIGN_OR_RETURN(plan.output, FromImageShape(attrs, image));
  return plan;
}

namespace {

// Plans the pooling of input 0, whose output is input 1.
absl::StatusOr<PoolingPlan> PlanKnownPooling(const WindowAttrs& attrs,
                                             const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      PoolingPlan plan,
      PlanPooling(attrs, context.input(0).shape(), "orig_input"));
  LEAT_RETURN_IF_ERROR(
      CheckShape("orig_output", context.input(1).shape(), plan.output));
  return plan;
}

}  // namespace

absl::StatusOr<PoolingPlan> PlanMaxPoolGrad(const WindowAttrs& attrs,
                                            const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(PoolingPlan plan, PlanKnownPooling(attrs, context));
  LEAT_RETURN_IF_ERROR(
      CheckShape("grad", context.input(2).shape(), plan.output));
  return plan;
}

absl::StatusOr<PoolingPlan> PlanMaxPoolGradGrad(const WindowAttrs& attrs,
                                                const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(PoolingPlan plan, PlanKnownPooling(attrs, context));
  LEAT_RETURN_IF_ERROR(
      CheckShape("grad", context.input(2).shape(), plan.input));
  return plan;
}

absl::StatusOr<PoolingPlan> PlanMaxPoolGradWithArgmax(
    const WindowAttrs& attrs, const KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(PoolingPlan plan,
                        PlanPooling(attrs, context.input(0).shape(), "input"));
  LEAT_RETURN_IF_ERROR(
      CheckShape("grad", context.input(1).shape(), plan.output));
  LEAT_RETURN_IF_ERROR(
      CheckShape("argmax", context.input(2).shape(), plan.output));
  return plan;
}

absl::StatusOr<PoolingPlan> PlanAvgPoolGrad(const WindowAttrs& attrs,
                                            const KernelContext& context) {
  const Tensor& sizes = context.input(0);
  const int rank = attrs.axes.rank();
  if (!sizes.shape().IsVector() || sizes.dim(0) != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("out_backprop must be 1-dimensional and ", rank,
                     " elements, got ", sizes.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape input, GetShape(sizes, "orig_input_shape"));
  LEAT_ASSIGN_OR_RETURN(PoolingPlan plan,
                        PlanPooling(attrs, input, "orig_input_shape"));
  LEAT_RETURN_IF_ERROR(
      CheckShape("grad", context.input(1).shape(), plan.output));
  return plan;
}

}  // namespace leat::kernels
