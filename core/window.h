// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlaceWindow computes, for convolutions and pooling, how many positions a
// sliding window has along one axis, and how much padding the axis needs. Shape
// inference and kernels use it. TensorFlow's GetWindowedOutputSize does the
// same.
//
//   // A 3x3 convolution with stride 2 over 28 rows:
//   PlaceWindow(28, {.size = 3, .stride = 2, .padding = Padding::kSame});
//   // gives {.count = 14, .before = 0, .after = 1}
#ifndef LEAT_CORE_WINDOW_H_
#define LEAT_CORE_WINDOW_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat {

// Says how much padding surrounds the input.
enum class Padding {
  kValid,     // none: the window stays inside of the input
  kSame,      // enough for ceil(input / stride) positions; if the number of
              // padding elements is odd, one more goes after than before
  kExplicit,  // as much as Window::before and Window::after say
};

// Returns the padding that an attr names "SAME", "VALID" or "EXPLICIT". Returns
// INVALID_ARGUMENT for another name.
absl::StatusOr<Padding> ParsePadding(absl::string_view name);

// Describes a window along one axis. All lengths are in elements of the input.
struct Window {
  int64_t size = 1;      // number of taps: elements per position
  int64_t stride = 1;    // from one position to the next
  int64_t dilation = 1;  // from one tap to the next
  Padding padding = Padding::kValid;
  int64_t before = 0;  // padding before the input, for kExplicit only
  int64_t after = 0;   // padding after the input, for kExplicit only
};

// Holds the positions of a window along an axis of known extent.
struct WindowPositions {
  int64_t count = 0;   // number of positions, the extent of the output
  int64_t before = 0;  // padding elements before the input
  int64_t after = 0;   // padding elements after the input
};

// Places `window` along an axis of extent `input`. Returns INVALID_ARGUMENT for
// a size, stride or dilation below 1, for a negative input or padding, for a
// negative count (as TensorFlow computes it), and for an overflow.
absl::StatusOr<WindowPositions> PlaceWindow(int64_t input,
                                            const Window& window);

// Holds the numbers of the axes of a rank-4 tensor of images, or of a rank-5
// tensor of volumes, which also have a depth. The default is NHWC.
struct ImageAxes {
  int batch = 0;
  int height = 1;
  int width = 2;
  int channel = 3;
  int depth = -1;  // -1 for images

  bool has_depth() const { return depth >= 0; }
  int rank() const { return has_depth() ? 5 : 4; }
};

// Returns the axes of the format "NHWC", "NCHW", "NDHWC" or "NCDHW". Returns
// INVALID_ARGUMENT for another format.
absl::StatusOr<ImageAxes> ParseImageAxes(absl::string_view data_format);

}  // namespace leat

#endif  // LEAT_CORE_WINDOW_H_
