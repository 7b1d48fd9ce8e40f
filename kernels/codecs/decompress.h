// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decompress decompresses what zlib or gzip has compressed. It is stateless and
// thread-safe.
#ifndef LEAT_KERNELS_CODECS_DECOMPRESS_H_
#define LEAT_KERNELS_CODECS_DECOMPRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"
#include "leat/kernels/codecs/inflater.h"

namespace leat {

// Is text whose bytes are counted by an allocator as long as `counted` lives.
struct CountedText {
  std::string text = {};
  BufferRef counted = {};
};

// Decompresses `bytes`. As in TensorFlow, the result of bytes that are cut off
// is what could be decompressed, bytes behind zlib's end are ignored, and gzip
// files that stand one behind another are one text. Returns DATA_LOSS, with
// TensorFlow's text, if the bytes are damaged, and RESOURCE_EXHAUSTED if there
// is no memory: a few bytes can stand for a thousand times as many.
absl::Status Decompress(absl::string_view bytes, Compression compression,
                        Allocator& allocator, CountedText& result);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_DECOMPRESS_H_
