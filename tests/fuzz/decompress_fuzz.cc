// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decompresses bytes that zlib or gzip may have compressed.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/decompress.h"

namespace {

// Has 64 MiB at once. Texts that need more are refused.
class SmallAllocator final : public leat::Allocator {
 public:
  leat::BufferRef Allocate(size_t bytes) override {
    return bytes > kLimit ? nullptr : leat::HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const override { return "small"; }

 private:
  static constexpr size_t kLimit = 64 << 20;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static SmallAllocator* const allocator = new SmallAllocator;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto compression :
       {leat::Compression::kZlib, leat::Compression::kGzip}) {
    leat::CountedText result;
    if (leat::Decompress(bytes, compression, *allocator, result).ok()) {
      LEAT_CHECK(result.text.empty() || result.counted != nullptr);
    }
  }
  return 0;
}
