// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SmallAllocator is for fuzz targets of decoders. A few bytes may ask a decoder
// for more memory than the fuzzer may use.
#ifndef LEAT_TESTS_FUZZ_SMALL_ALLOCATOR_H_
#define LEAT_TESTS_FUZZ_SMALL_ALLOCATOR_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "leat/core/buffer.h"

namespace leat {

// Gives at most 64 MiB at once. Is thread-safe.
class SmallAllocator final : public Allocator {
 public:
  // Returns an allocator that is never destroyed.
  static SmallAllocator& Get() {
    static auto& allocator = *new SmallAllocator;
    return allocator;
  }

  BufferRef Allocate(size_t bytes) override {
    return bytes > kMaxBytes ? nullptr : HostAllocator().Allocate(bytes);
  }
  absl::string_view name() const override { return "small"; }

 private:
  static constexpr size_t kMaxBytes = size_t{64} << 20;
};

}  // namespace leat

#endif  // LEAT_TESTS_FUZZ_SMALL_ALLOCATOR_H_
