// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Window arithmetic of convolutions and pooling: how many positions a sliding
// window has along one axis, and how much padding that takes. The same function
// serves shape inference and kernels. TensorFlow's GetWindowedOutputSize.
#ifndef LEAT_CORE_WINDOW_H_
#define LEAT_CORE_WINDOW_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

enum class Padding {
  kValid,     // only positions that lie inside the input
  kSame,      // ceil(input / stride) positions, the odd element goes after
  kExplicit,  // `before` and `after` are given
};

// "SAME", "VALID", "EXPLICIT"; INVALID_ARGUMENT for another name.
absl::StatusOr<Padding> ParsePadding(absl::string_view name);

// A window along one axis, in elements.
struct Window {
  int64_t size = 1;      // taps
  int64_t stride = 1;    // from one position to the next
  int64_t dilation = 1;  // from one tap to the next
  Padding padding = Padding::kValid;
  int64_t before = 0;  // kExplicit only
  int64_t after = 0;
};

// Where a window goes along an axis of known extent.
struct WindowPositions {
  int64_t count = 0;   // extent of the output
  int64_t before = 0;  // padding
  int64_t after = 0;
};

// INVALID_ARGUMENT for a size, stride or dilation below 1, a negative input or
// padding, a negative count (as TensorFlow computes it), or overflow.
absl::StatusOr<WindowPositions> PlaceWindow(int64_t input,
                                            const Window& window);

// Which axis of a rank-4 tensor is what.
struct ImageAxes {
  int batch = 0;
  int height = 1;
  int width = 2;
  int channel = 3;
};

// "NHWC" or "NCHW"; INVALID_ARGUMENT for another format.
absl::StatusOr<ImageAxes> ParseImageAxes(absl::string_view data_format);

}  // namespace leat

#endif  // LEAT_CORE_WINDOW_H_
