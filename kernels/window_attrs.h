// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The attrs that say how windows slide over images, as convolutions and pooling
// have them: data_format, padding, explicit_paddings, strides, and dilations or
// ksize. Immutable after Create.
#ifndef LEAT_KERNELS_WINDOW_ATTRS_H_
#define LEAT_KERNELS_WINDOW_ATTRS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/core/window.h"
#include "leat/graph/graph.h"

namespace leat::kernels {

struct WindowAttrs {
  bool channels_first = false;
  ImageAxes axes = {};
  // Along height and width; `size` is the ksize of pooling, else 1.
  Window height = {};
  Window width = {};

  // INVALID_ARGUMENT for lists that are too short, values below 1 or above
  // int32, or padding of batch or channels; UNIMPLEMENTED for strides,
  // dilations or windows there.
  static absl::StatusOr<WindowAttrs> Create(const NodeDef& node);
};

// A rank-4 shape by what its extents mean.
struct ImageShape {
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t height = 0;
  int64_t width = 0;

  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

// INVALID_ARGUMENT naming `what` unless the rank is 4 and extents fit int32.
absl::StatusOr<ImageShape> ToImageShape(const WindowAttrs& attrs,
                                        const Shape& shape,
                                        absl::string_view what);

// The reverse; fails as Shape::Create does.
absl::StatusOr<Shape> FromImageShape(const WindowAttrs& attrs,
                                     const ImageShape& image);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_WINDOW_ATTRS_H_
