// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// EncodePng makes a PNG file of an image. It is stateless and thread-safe.
//
//   LEAT_ASSIGN_OR_RETURN(const std::string png,
//                         EncodePng({.width = 2, .height = 1, .channels = 3,
//                                    .pixels = pixels}));
#ifndef LEAT_SUMMARY_ENCODE_PNG_H_
#define LEAT_SUMMARY_ENCODE_PNG_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "leat/core/threads/cancellation.h"

namespace leat {

// Describes an image with a byte for each channel of each pixel, row by row.
struct ImageView {
  int64_t width = 0;
  int64_t height = 0;
  int channels = 1;                       // 1 is grey, 3 is RGB, 4 is RGBA
  absl::Span<const uint8_t> pixels = {};  // width * height * channels
};

// Returns the bytes of the PNG file. Returns INTERNAL if libpng refuses the
// image: it may be empty, have more than a million pixels in a row or column,
// or need too much memory. `cancellation` may be null. If it is cancelled while
// the image is encoded, returns its status; a large image takes minutes.
// REQUIRES: `channels` and the size of `pixels` are as described, and `width`
// and `height` are below 2^31.
absl::StatusOr<std::string> EncodePng(
    const ImageView& image, const Cancellation* cancellation = nullptr);

}  // namespace leat

#endif  // LEAT_SUMMARY_ENCODE_PNG_H_
