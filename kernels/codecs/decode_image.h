// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DecodeImage decodes an image file of any of four formats. It chooses the
// decoder by the first bytes of the file. decode_jpeg.h and its like have the
// decoders. All functions are stateless and thread-safe. The files may come
// from anywhere: the memory for pixels is checked and counted before it is
// used.
//
//   LEAT_ASSIGN_OR_RETURN(
//       const Tensor image,
//       DecodeImage(bytes, {.channels = 3}, HostAllocator()));
#ifndef LEAT_KERNELS_CODECS_DECODE_IMAGE_H_
#define LEAT_KERNELS_CODECS_DECODE_IMAGE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/kernels/codecs/decode_jpeg.h"

namespace leat {

enum class ImageFormat : uint8_t { kUnknown, kBmp, kGif, kJpeg, kPng };

// Returns the format that the first bytes of a file declare.
ImageFormat FormatOf(absl::string_view bytes);

// Returns "BMP", "GIF", "JPEG" or "PNG".
absl::string_view Name(ImageFormat format);

struct ImageOptions {
  // Is the number of channels of the result: 1, 3 or 4. If it is 0, the file
  // decides.
  int channels = 0;
  // Is kUint8, kUint16 or kFloat. The greatest value is 1 for kFloat.
  DType type = DType::kUint8;
  bool first_frame_only = false;  // of an animation
  JpegOptions jpeg = {};          // without `channels`, which is not used
};

// Returns INVALID_ARGUMENT if files of this format cannot be decoded to so many
// channels. DecodeImage checks it, too.
absl::Status CheckChannels(ImageFormat format, int channels);

// Returns the image with the shape [height, width, channels], or the frames of
// a GIF file with the shape [frames, height, width, 3]. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if the file cannot be decoded, and
// RESOURCE_EXHAUSTED if there is no memory.
absl::StatusOr<Tensor> DecodeImage(absl::string_view bytes,
                                   const ImageOptions& options,
                                   Allocator& allocator);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_DECODE_IMAGE_H_
