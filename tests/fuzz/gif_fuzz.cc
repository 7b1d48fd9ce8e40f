// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Decodes bytes as a GIF file.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/decode_gif.h"

namespace {

// Has 64 MiB at once. Frames that need more are refused.
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
  for (const bool first_only : {true, false}) {
    const auto frames = leat::DecodeGif(bytes, first_only, *allocator);
    if (frames.ok()) LEAT_CHECK(frames->rank() == 4);
  }
  return 0;
}
