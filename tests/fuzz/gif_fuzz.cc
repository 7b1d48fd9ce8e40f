// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decodes bytes as a GIF file.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/decode_gif.h"
#include "leat/tests/fuzz/small_allocator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leat::Allocator& allocator = leat::SmallAllocator::Get();
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool first_only : {true, false}) {
    const auto frames = leat::DecodeGif(bytes, first_only, allocator);
    if (frames.ok()) LEAT_CHECK(frames->rank() == 4);
  }
  return 0;
}
