// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WindowAttrs reads the attrs that say how a window slides over images or
// volumes: data_format, padding, explicit_paddings, strides, and dilations or
// ksize. Convolutions and pooling have these attrs in common.
#ifndef LEAT_KERNELS_WINDOW_ATTRS_H_
#define LEAT_KERNELS_WINDOW_ATTRS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"
#include "leat/core/window.h"
#include "leat/graph/graph.h"

namespace leat::kernels {

// Holds the attrs of one node. Is immutable after Create.
struct WindowAttrs {
  bool channels_first = false;  // data_format is NCHW or NCDHW
  ImageAxes axes = {};
  // True for DepthwiseConv2dNative and its gradients, which have filters of
  // their own for each input channel.
  bool depthwise = false;
  // These are the windows along depth, height and width. For pooling, the size
  // of a window is the attr ksize. For a convolution, it is 1 here, because the
  // filter is an input. Images have a depth of 1.
  Window depth = {};
  Window height = {};
  Window width = {};

  // Reads and checks the attrs of `node`. Fails with INVALID_ARGUMENT if
  //  - a list has a wrong length or a value beyond int32,
  //  - a value for depth, height or width, or any value of ksize, is below 1,
  //    or
  //  - explicit_paddings has padding for batch or channels.
  // Fails with the code `unsupported` if another attr has a value for batch or
  // channels that is not 1.
  static absl::StatusOr<WindowAttrs> Create(
      const NodeDef& node,
      absl::StatusCode unsupported = absl::StatusCode::kUnimplemented);

  // Returns these attrs with the windows that two tensors of int32 describe, as
  // the inputs ksize and strides of MaxPoolV2. Fails as Create does.
  absl::StatusOr<WindowAttrs> WithWindows(const Tensor& ksize,
                                          const Tensor& strides) const;
};

// Holds the extents of a shape of images or volumes by their meaning instead of
// their order.
struct ImageShape {
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;
  int64_t depth = 1;

  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

// Sorts the extents of `shape` by their meaning. Returns INVALID_ARGUMENT if
// the rank is not that of `attrs` or an extent does not fit an int32. The
// message uses `what` as the name of the tensor.
absl::StatusOr<ImageShape> ToImageShape(const WindowAttrs& attrs,
                                        const Shape& shape,
                                        absl::string_view what);

// Returns the shape with the extents of `image`, in the order of the format in
// `attrs`. Returns INVALID_ARGUMENT if there are too many elements.
absl::StatusOr<Shape> FromImageShape(const WindowAttrs& attrs,
                                     const ImageShape& image);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_WINDOW_ATTRS_H_
