// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/window_attrs.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

using Ints = std::vector<int64_t>;

// oneDNN counts in int32 internally.
constexpr int64_t kMaxExtent = std::numeric_limits<int32_t>::max();

absl::Status CheckPositive(absl::string_view name, const Ints& values) {
  for (const int64_t value : values) {
    if (value >= 1) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "attr ", name, " must have values of 1 or more, not ", value));
  }
  return absl::OkStatus();
}

// Checks a list with one value per axis. Fails with the code `unsupported` if
// the value for batch or channels is not 1. A list can break two rules that
// have different error codes. The checks are in TensorFlow's order, so that the
// error code is TensorFlow's, too.
absl::Status CheckPerAxis(absl::string_view name, const Ints& values,
                          const ImageAxes& axes, absl::StatusCode unsupported) {
  const auto rank = static_cast<size_t>(axes.rank());
  if (values.size() != rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "attr ", name, " must have ", rank, " values, not ", values.size()));
  }
  for (const int64_t value : values) {
    if (value == static_cast<int32_t>(value)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Attr ", name, " has value ", value, " out of range for an int32"));
  }
  if (name == "ksize") LEAT_RETURN_IF_ERROR(CheckPositive(name, values));
  if (values[axes.batch] != 1 || values[axes.channel] != 1) {
    return absl::Status(
        unsupported,
        absl::StrCat("attr ", name,
                     " must be 1 in the batch and depth dimensions, not ",
                     values[axes.batch], " and ", values[axes.channel]));
  }
  return CheckPositive(name, values);
}

// Reads and checks a list attr with one value per axis. If the op has no such
// attr, all values are 1.
absl::StatusOr<Ints> PerAxis(const NodeDef& node, absl::string_view name,
                             const ImageAxes& axes,
                             absl::StatusCode unsupported) {
  LEAT_ASSIGN_OR_RETURN(
      Ints values,
      node.attrs.GetOr<Ints>(name, Ints(static_cast<size_t>(axes.rank()), 1)));
  LEAT_RETURN_IF_ERROR(CheckPerAxis(name, values, axes, unsupported));
  return values;
}

absl::StatusOr<Ints> PerAxis(const Tensor& tensor, absl::string_view name,
                             const ImageAxes& axes) {
  LEAT_ASSIGN_OR_RETURN(const Dims given, GetIndices(tensor, name));
  const Ints values(given.begin(), given.end());
  LEAT_RETURN_IF_ERROR(
      CheckPerAxis(name, values, axes, absl::StatusCode::kUnimplemented));
  return values;
}

absl::Status ReadExplicitPadding(const NodeDef& node, WindowAttrs& attrs) {
  LEAT_ASSIGN_OR_RETURN(Ints pads,
                        node.attrs.GetOr<Ints>("explicit_paddings", {}));
  if (attrs.height.padding != Padding::kExplicit) {
    if (pads.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "explicit_paddings must be empty unless the padding is EXPLICIT");
  }
  if (pads.size() != 8 || attrs.axes.has_depth()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "explicit_paddings must have 8 values, for images, not ", pads.size()));
  }
  for (int64_t pad : pads) {
    if (pad < 0 || pad > kMaxExtent) {
      return absl::InvalidArgumentError(
          absl::StrCat("explicit_paddings has an invalid value: ", pad));
    }
  }
  const ImageAxes& a = attrs.axes;
  if (pads[2 * a.batch] != 0 || pads[2 * a.batch + 1] != 0 ||
      pads[2 * a.channel] != 0 || pads[2 * a.channel + 1] != 0) {
    return absl::InvalidArgumentError(
        "explicit_paddings must be 0 in the batch and depth dimensions");
  }
  attrs.height.before = pads[2 * a.height];
  attrs.height.after = pads[2 * a.height + 1];
  attrs.width.before = pads[2 * a.width];
  attrs.width.after = pads[2 * a.width + 1];
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WindowAttrs> WindowAttrs::Create(const NodeDef& node,
                                                absl::StatusCode unsupported) {
  WindowAttrs attrs;
  LEAT_ASSIGN_OR_RETURN(std::string format,
                        node.attrs.GetOr<std::string>("data_format", "NHWC"));
  LEAT_ASSIGN_OR_RETURN(attrs.axes, ParseImageAxes(format));
  attrs.channels_first = attrs.axes.channel == 1;
  LEAT_ASSIGN_OR_RETURN(std::string padding,
                        node.attrs.Get<std::string>("padding"));
  LEAT_ASSIGN_OR_RETURN(attrs.height.padding, ParsePadding(padding));
  attrs.width.padding = attrs.height.padding;
  attrs.depth.padding = attrs.height.padding;
  LEAT_ASSIGN_OR_RETURN(const Ints strides,
                        PerAxis(node, "strides", attrs.axes, unsupported));
  LEAT_ASSIGN_OR_RETURN(const Ints dilations,
                        PerAxis(node, "dilations", attrs.axes, unsupported));
  LEAT_ASSIGN_OR_RETURN(const Ints sizes,
                        PerAxis(node, "ksize", attrs.axes, unsupported));
  const auto set = [&](Window& window, int axis) {
    window.stride = strides[axis];
    window.dilation = dilations[axis];
    window.size = sizes[axis];
  };
  set(attrs.height, attrs.axes.height);
  set(attrs.width, attrs.axes.width);
  if (attrs.axes.has_depth()) set(attrs.depth, attrs.axes.depth);
  LEAT_RETURN_IF_ERROR(ReadExplicitPadding(node, attrs));
  return attrs;
}

absl::StatusOr<WindowAttrs> WindowAttrs::WithWindows(
    const Tensor& ksize, const Tensor& strides) const {
  LEAT_ASSIGN_OR_RETURN(const Ints sizes, PerAxis(ksize, "ksize", axes));
  LEAT_ASSIGN_OR_RETURN(const Ints steps, PerAxis(strides, "strides", axes));
  WindowAttrs attrs = *this;
  attrs.height.size = sizes[axes.height];
  attrs.width.size = sizes[axes.width];
  attrs.height.stride = steps[axes.height];
  attrs.width.stride = steps[axes.width];
  return attrs;
}

absl::StatusOr<ImageShape> ToImageShape(const WindowAttrs& attrs,
                                        const Shape& shape,
                                        absl::string_view what) {
  if (shape.rank() != attrs.axes.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " must be ", attrs.axes.rank(),
                     "-dimensional: ", shape.DebugString()));
  }
  for (int64_t extent : shape.dims()) {
    if (extent > kMaxExtent) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, " is too large: ", shape.DebugString()));
    }
  }
  ImageShape image;
  image.batch = shape.dim(attrs.axes.batch);
  image.channels = shape.dim(attrs.axes.channel);
  image.height = shape.dim(attrs.axes.height);
  image.width = shape.dim(attrs.axes.width);
  if (attrs.axes.has_depth()) image.depth = shape.dim(attrs.axes.depth);
  return image;
}

absl::StatusOr<Shape> FromImageShape(const WindowAttrs& attrs,
                                     const ImageShape& image) {
  Dims dims(static_cast<size_t>(attrs.axes.rank()));
  dims[attrs.axes.batch] = image.batch;
  dims[attrs.axes.channel] = image.channels;
  dims[attrs.axes.height] = image.height;
  dims[attrs.axes.width] = image.width;
  if (attrs.axes.has_depth()) dims[attrs.axes.depth] = image.depth;
  return Shape::Create(dims);
}

}  // namespace leat::kernels
