// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DecodeGif decodes a GIF file with giflib. It is stateless and thread-safe.
#ifndef LEAT_KERNELS_CODECS_DECODE_GIF_H_
#define LEAT_KERNELS_CODECS_DECODE_GIF_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"

namespace leat {

// Returns the frames as uint8 [frames, height, width, 3], or only the first one
// if `first_only` is true. A frame begins as a copy of the one before it.
// Height and width are those of the largest frame. If a later frame is damaged,
// returns the frames before it. Returns INVALID_ARGUMENT, with TensorFlow's
// text, if no frame can be decoded.
absl::StatusOr<Tensor> DecodeGif(absl::string_view bytes, bool first_only,
                                 Allocator& allocator);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_DECODE_GIF_H_
