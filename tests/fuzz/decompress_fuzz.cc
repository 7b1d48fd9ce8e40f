// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decompresses bytes that zlib or gzip may have compressed.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/decompress.h"
#include "leat/tests/fuzz/small_allocator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  leat::Allocator& allocator = leat::SmallAllocator::Get();
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto compression :
       {leat::Compression::kZlib, leat::Compression::kGzip}) {
    leat::CountedText result;
    if (leat::Decompress(bytes, compression, allocator, result).ok()) {
      LEAT_CHECK(result.text.empty() || result.counted != nullptr);
    }
  }
  return 0;
}
