// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/convolution_plan.h"

#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

absl::Status CheckFilter(const Shape& filter, const ImageShape& input) {
  if (filter.rank() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter must be 4-dimensional: ", filter.DebugString()));
  }
  for (int64_t extent : filter.dims()) {
    if (extent < 1 || extent > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "filter must not have zero elements and be of a size that can be "
          "computed: ",
          filter.DebugString()));
    }
  }
  if (input.channels == 0 || input.channels % filter.dim(2) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("input depth must be evenly divisible by filter depth: ",
                     input.channels, " vs ", filter.dim(2)));
  }
  const int64_t groups = input.channels / filter.dim(2);
  if (filter.dim(3) % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output depth must be evenly divisible by number of groups: ",
        filter.dim(3), " vs ", groups));
  }
  return absl::OkStatus();
}

absl::Status CheckBackprop(const Shape& got, const Shape& computed) {
  if (got == computed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Size of out_backprop doesn't match computed: actual = ",
                   got.DebugString(), ", computed = ", computed.DebugString()));
}

// Returns the shape of the input. Like TensorFlow, accepts `sizes` with all
// four extents, or with height and width only.
absl::StatusOr<Shape> InputShape(const WindowAttrs& attrs, const Tensor& sizes,
                                 const Shape& filter, const Shape& backprop) {
  LEAT_ASSIGN_OR_RETURN(Dims dims, GetIndices(sizes, "input_sizes"));
  if (!sizes.shape().IsVector() || (dims.size() != 2 && dims.size() != 4)) {
    return absl::InvalidArgumentError(
        absl::StrCat(attrs.depthwise ? "DepthwiseConv2dNativeBackpropInput"
                                     : "Conv2DBackpropInput",
                     " requires input_sizes to contain 4 values or 2 "
                     "values, but got: ",
                     sizes.shape().DebugString()));
  }
  if (dims.size() == 4) return Shape::Create(dims);
  if (filter.rank() != 4 || backprop.rank() != 4) {
    return absl::InvalidArgumentError(
        "filter and out_backprop must be 4-dimensional");
  }
  ImageShape image;
  image.batch = backprop.dim(attrs.axes.batch);
  image.channels = filter.dim(2);
  image.height = dims[0];
  image.width = dims[1];
  return FromImageShape(attrs, image);
}

// Returns the shape as which a grouped convolution has the filter of a
// depthwise one. The elements are the same, in the same order.
absl::StatusOr<Shape> GroupedFilter(const Shape& filter,
                                    const ImageShape& input) {
  if (filter.rank() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter must be 4-dimensional: ", filter.DebugString()));
  }
  if (filter.dim(2) != input.channels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input and filter must have the same depth: ", input.channels, " vs ",
        filter.dim(2)));
  }
  LEAT_ASSIGN_OR_RETURN(const int64_t out_channels,
                        CheckedMultiply(filter.dim(2), filter.dim(3)));
  return Shape::Create({filter.dim(0), filter.dim(1), 1, out_channels});
}

}  // namespace

absl::StatusOr<WindowAttrs> ConvolutionAttrs(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      WindowAttrs attrs,
      WindowAttrs::Create(node, node.op->name == "Conv2DBackpropFilter"
                                    ? absl::StatusCode::kInvalidArgument
                                    : absl::StatusCode::kUnimplemented));
  attrs.depthwise = absl::StartsWith(node.op->name, "DepthwiseConv2dNative");
  return attrs;
}

absl::StatusOr<ConvolutionPlan> PlanConvolution(const WindowAttrs& attrs,
                                                const Shape& input,
                                                const Shape& given_filter) {
  LEAT_ASSIGN_OR_RETURN(ImageShape in, ToImageShape(attrs, input, "input"));
  Shape filter = given_filter;
  if (attrs.depthwise) {
    LEAT_ASSIGN_OR_RETURN(filter, GroupedFilter(given_filter, in));
  }
  LEAT_RETURN_IF_ERROR(CheckFilter(filter, in));
  Window height = attrs.height, width = attrs.width;
  height.size = filter.dim(0);
  width.size = filter.dim(1);
  LEAT_ASSIGN_OR_RETURN(WindowPositions rows, PlaceWindow(in.height, height));
  LEAT_ASSIGN_OR_RETURN(WindowPositions columns, PlaceWindow(in.width, width));
  ImageShape out;
  out.batch = in.batch;
  out.channels = filter.dim(3);
  out.height = rows.count;
  out.width = columns.count;
  ConvolutionPlan plan;
  LEAT_ASSIGN_OR_RETURN(plan.result, FromImageShape(attrs, out));
  LEAT_RETURN_IF_ERROR(ToImageShape(attrs, plan.result, "output").status());
  ConvolutionShape& s = plan.shape;
  s.channels_first = attrs.channels_first;
  s.batch = in.batch;
  s.in_channels = in.channels;
  s.in_height = in.height;
  s.in_width = in.width;
  s.out_channels = out.channels;
  s.out_height = out.height;
  s.out_width = out.width;
  s.groups = in.channels / filter.dim(2);
  s.filter_height = filter.dim(0);
  s.filter_width = filter.dim(1);
  s.stride_height = height.stride;
  s.stride_width = width.stride;
  s.dilation_height = height.dilation;
  s.dilation_width = width.dilation;
  s.pad_top = rows.before;
  s.pad_bottom = rows.after;
  s.pad_left = columns.before;
  s.pad_right = columns.after;
  return plan;
}

absl::StatusOr<ConvolutionPlan> PlanBackwardInput(
    const WindowAttrs& attrs, const KernelContext& context) {
  const Shape& filter = context.input(1).shape();
  const Shape& backprop = context.input(2).shape();
  LEAT_ASSIGN_OR_RETURN(const Shape input,
                        InputShape(attrs, context.input(0), filter, backprop));
  LEAT_ASSIGN_OR_RETURN(ConvolutionPlan plan,
                        PlanConvolution(attrs, input, filter));
  LEAT_RETURN_IF_ERROR(CheckBackprop(backprop, plan.result));
  plan.result = input;
  return plan;
}

absl::StatusOr<ConvolutionPlan> PlanBackwardFilter(
    const WindowAttrs& attrs, const KernelContext& context) {
  const Tensor& sizes = context.input(1);
  if (!sizes.shape().IsVector()) {
    return absl::InvalidArgumentError(
        absl::StrCat(attrs.depthwise ? "DepthwiseConv2dNativeBackpropFilter"
                                     : "Conv2DBackpropFilter",
                     ": filter_sizes input must be 1-dim, not ",
                     sizes.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape filter, GetShape(sizes, "filter_sizes"));
  LEAT_ASSIGN_OR_RETURN(
      ConvolutionPlan plan,
      PlanConvolution(attrs, context.input(0).shape(), filter));
  LEAT_RETURN_IF_ERROR(CheckBackprop(context.input(2).shape(), plan.result));
  plan.result = filter;
  return plan;
}

}  // namespace leat::kernels
