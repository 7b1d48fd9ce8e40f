// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DecodeBmp decodes a BMP file without compression or palette. It is stateless
// and thread-safe.
#ifndef LEAT_KERNELS_CODECS_DECODE_BMP_H_
#define LEAT_KERNELS_CODECS_DECODE_BMP_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"

namespace leat {

// Returns the image as uint8 [height, width, channels]. The file decides the
// number of channels if `channels` is 0. Returns INVALID_ARGUMENT, with
// TensorFlow's text, if the file cannot be decoded.
absl::StatusOr<Tensor> DecodeBmp(absl::string_view bytes, int channels,
                                 Allocator& allocator);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_DECODE_BMP_H_
