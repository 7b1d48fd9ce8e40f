// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DecodePng decodes a PNG file with libpng. It is stateless and thread-safe.
#ifndef LEAT_KERNELS_CODECS_DECODE_PNG_H_
#define LEAT_KERNELS_CODECS_DECODE_PNG_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"

namespace leat {

// Returns the image as [height, width, channels] of type `type`, which is
// kUint8 or kUint16. The file decides the number of channels if `channels` is
// 0. Otherwise, colors become grey or grey becomes colors, and alpha is left
// out or added. Returns INVALID_ARGUMENT, with TensorFlow's text, if the file
// cannot be decoded.
absl::StatusOr<Tensor> DecodePng(absl::string_view bytes, int channels,
                                 DType type, Allocator& allocator);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_DECODE_PNG_H_
