// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DecodeJpeg and JpegShape read JPEG files with libjpeg-turbo. They are
// stateless and thread-safe.
#ifndef LEAT_KERNELS_CODECS_DECODE_JPEG_H_
#define LEAT_KERNELS_CODECS_DECODE_JPEG_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"

namespace leat {

// Is a part of an image, in pixels.
struct CropWindow {
  int64_t y = 0;
  int64_t x = 0;
  int64_t height = 0;
  int64_t width = 0;
};

// Has TensorFlow's options and their default values.
struct JpegOptions {
  int channels = 0;             // 1 or 3; if it is 0, the file decides
  int ratio = 1;                // the image becomes 1, 2, 4 or 8 times as small
  bool fancy_upscaling = true;  // smooths colors
  // Fills the rows that a truncated file lacks.
  bool recover_truncated = false;
  // Is which part of the rows must be there, from 0 to 1. Missing rows are 0.
  float acceptable_fraction = 1;
  bool accurate_dct = false;  // is slower
  std::optional<CropWindow> crop = {};
};

// Returns the image as uint8 [height, width, channels]. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if the file cannot be decoded or
// the crop window does not lie in the image.
absl::StatusOr<Tensor> DecodeJpeg(absl::string_view bytes,
                                  const JpegOptions& options,
                                  Allocator& allocator);

// Returns the height, the width and the number of channels of the image in a
// JPEG file, of which only the header is read. Fails as DecodeJpeg does.
absl::StatusOr<Shape> JpegShape(absl::string_view bytes);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_DECODE_JPEG_H_
