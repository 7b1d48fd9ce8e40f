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

// Describes an image, row by row.
struct ImageView {
  int64_t width = 0;
  int64_t height = 0;
  // 1 is grey, 2 is grey with alpha, 3 is RGB, 4 is RGBA.
  int channels = 1;
  // Has a byte for each channel of each pixel or, if channel_bytes is 2, two
  // bytes in the order of this machine.
  absl::Span<const uint8_t> pixels = {};
  int channel_bytes = 1;
};

struct PngEncoding {
  // Goes from 0, which is fast, to 9, which gives small files. zlib decides if
  // it is -1.
  int compression = -1;
  // May be null. If it is cancelled while the image is encoded, EncodePng
  // returns its status; a large image takes minutes.
  const Cancellation* cancellation = nullptr;
};

// Returns the bytes of the PNG file. Returns INTERNAL if libpng refuses the
// image: it may be empty, have more than a million pixels in a row or column,
// or need too much memory. REQUIRES: `channels` and the size of `pixels` are as
// described, and `width` and `height` are below 2^31.
absl::StatusOr<std::string> EncodePng(const ImageView& image,
                                      const PngEncoding& encoding = {});

}  // namespace leat

#endif  // LEAT_SUMMARY_ENCODE_PNG_H_
