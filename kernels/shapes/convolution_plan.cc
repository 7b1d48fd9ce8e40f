// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/convolution_plan.h"

#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

absl::Status CheckRank(const Shape& filter, int rank) {
  if (filter.rank() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "filter must be ", rank, "-dimensional: ", filter.DebugString()));
}

// Checks the filter of a convolution with groups, whose last two axes are the
// channels.
absl::Status CheckFilter(const Shape& filter, const ImageShape& input) {
  const int64_t in_channels = filter.dim(filter.rank() - 2);
  const int64_t out_channels = filter.dim(filter.rank() - 1);
  for (int64_t extent : filter.dims()) {
    if (extent < 1 || extent > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "filter must not have zero elements and be of a size that can be "
          "computed: ",
          filter.DebugString()));
    }
  }
  if (input.channels == 0 || input.channels % in_channels != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("input depth must be evenly divisible by filter depth: ",
                     input.channels, " vs ", in_channels));
  }
  const int64_t groups = input.channels / in_channels;
  if (out_channels % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output depth must be evenly divisible by number of groups: ",
        out_channels, " vs ", groups));
  }
  return absl::OkStatus();
}

absl::Status CheckBackprop(const Shape& got, const Shape& computed) {
  if (got == computed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Size of out_backprop doesn't match computed: actual = ",
                   got.DebugString(), ", computed = ", computed.DebugString()));
}

absl::Status CheckSameDepth(int64_t input, int64_t filter) {
  if (input == filter) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "input and filter must have the same depth: ", input, " vs ", filter));
}

// Returns the shape of volumes.
absl::StatusOr<Shape> VolumeShape(const Tensor& sizes) {
  if (!sizes.shape().IsVector() || sizes.num_elements() != 5) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Conv3DBackpropInputV2 requires input_sizes to contain 5 values, but "
        "got: ",
        sizes.shape().DebugString()));
  }
  return GetShape(sizes, "input_sizes");
}

// Returns the shape of images. Like TensorFlow, accepts `sizes` with all four
// extents, or with height and width only.
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
  LEAT_RETURN_IF_ERROR(CheckSameDepth(input.channels, filter.dim(2)));
  LEAT_ASSIGN_OR_RETURN(const int64_t out_channels,
                        CheckedMultiply(filter.dim(2), filter.dim(3)));
  return Shape::Create({filter.dim(0), filter.dim(1), 1, out_channels});
}

// Is a window with its positions along one axis.
struct Placed {
  Window window = {};
  WindowPositions at = {};
};

// Places a window of `size` taps along an axis.
absl::StatusOr<Placed> Place(int64_t extent, const Window& window,
                             int64_t size) {
  Placed placed = {.window = window};
  placed.window.size = size;
  LEAT_ASSIGN_OR_RETURN(placed.at, PlaceWindow(extent, placed.window));
  return placed;
}

// Returns the sizes of a convolution of images without groups.
ConvolutionShape Describe(const ImageShape& in, const ImageShape& out,
                          const Placed& planes, const Placed& rows,
                          const Placed& columns) {
  ConvolutionShape s;
  s.batch = in.batch;
  s.in_channels = in.channels;
  s.in_depth = in.depth;
  s.in_height = in.height;
  s.in_width = in.width;
  s.out_channels = out.channels;
  s.out_depth = out.depth;
  s.out_height = out.height;
  s.out_width = out.width;
  s.filter_depth = planes.window.size;
  s.filter_height = rows.window.size;
  s.filter_width = columns.window.size;
  s.stride_depth = planes.window.stride;
  s.stride_height = rows.window.stride;
  s.stride_width = columns.window.stride;
  s.dilation_depth = planes.window.dilation;
  s.dilation_height = rows.window.dilation;
  s.dilation_width = columns.window.dilation;
  s.pad_front = planes.at.before;
  s.pad_back = planes.at.after;
  s.pad_top = rows.at.before;
  s.pad_bottom = rows.at.after;
  s.pad_left = columns.at.before;
  s.pad_right = columns.at.after;
  return s;
}

}  // namespace

absl::StatusOr<WindowAttrs> ConvolutionAttrs(const NodeDef& node) {
  const bool is_invalid = node.op->name == "Conv2DBackpropFilter" ||
                          absl::StartsWith(node.op->name, "Conv3D");
  LEAT_ASSIGN_OR_RETURN(
      WindowAttrs attrs,
      WindowAttrs::Create(node, is_invalid ? absl::StatusCode::kInvalidArgument
                                           : absl::StatusCode::kUnimplemented));
  attrs.depthwise = absl::StartsWith(node.op->name, "DepthwiseConv2dNative");
  return attrs;
}

absl::StatusOr<ConvolutionPlan> PlanConvolution(const WindowAttrs& attrs,
                                                const Shape& input,
                                                const Shape& given_filter) {
  LEAT_ASSIGN_OR_RETURN(ImageShape in, ToImageShape(attrs, input, "input"));
  LEAT_RETURN_IF_ERROR(CheckRank(given_filter, attrs.axes.rank()));
  Shape filter = given_filter;
  if (attrs.depthwise) {
    LEAT_ASSIGN_OR_RETURN(filter, GroupedFilter(given_filter, in));
  }
  const bool has_depth = attrs.axes.has_depth();
  if (has_depth && filter.num_elements() > 0) {
    LEAT_RETURN_IF_ERROR(CheckSameDepth(in.channels, filter.dim(3)));
  }
  LEAT_RETURN_IF_ERROR(CheckFilter(filter, in));
  const int height = has_depth ? 1 : 0;  // the filter's axis of the height
  LEAT_ASSIGN_OR_RETURN(
      const Placed planes,
      Place(in.depth, attrs.depth, has_depth ? filter.dim(0) : 1));
  LEAT_ASSIGN_OR_RETURN(const Placed rows,
                        Place(in.height, attrs.height, filter.dim(height)));
  LEAT_ASSIGN_OR_RETURN(const Placed columns,
                        Place(in.width, attrs.width, filter.dim(height + 1)));
  const ImageShape out = {.batch = in.batch,
                          .channels = filter.dim(height + 3),
                          .height = rows.at.count,
                          .width = columns.at.count,
                          .depth = planes.at.count};
  ConvolutionPlan plan;
  LEAT_ASSIGN_OR_RETURN(plan.result, FromImageShape(attrs, out));
  LEAT_RETURN_IF_ERROR(ToImageShape(attrs, plan.result, "output").status());
  plan.shape = Describe(in, out, planes, rows, columns);
  plan.shape.channels_first = attrs.channels_first;
  plan.shape.has_depth = has_depth;
  plan.shape.groups = in.channels / filter.dim(height + 2);
  return plan;
}

absl::StatusOr<ConvolutionPlan> PlanBackwardInput(
    const WindowAttrs& attrs, const KernelContext& context) {
  const Shape& filter = context.input(1).shape();
  const Shape& backprop = context.input(2).shape();
  LEAT_ASSIGN_OR_RETURN(
      const Shape input,
      attrs.axes.has_depth()
          ? VolumeShape(context.input(0))
          : InputShape(attrs, context.input(0), filter, backprop));
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
    return absl::InvalidArgumentError(absl::StrCat(
        context.node().op->name, ": filter_sizes input must be 1-dim, not ",
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
