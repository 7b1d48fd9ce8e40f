// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldBytes tells how many bytes one element of a tensor holds outside of the
// tensor's buffer, such as the characters of a long string. Allocators count
// these bytes, too (Allocator::Reserve), so a memory limit also covers the
// contents of strings.
#ifndef LEAT_CORE_HELD_BYTES_H_
#define LEAT_CORE_HELD_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/variant.h"

namespace leat {

// Returns how many bytes of heap memory a string of `size` bytes takes. A
// string of up to 15 bytes lies in the std::string object (of libstdc++) and
// takes none. A longer string takes a block from malloc. The result is the size
// of the block plus an eighth and a few bytes, because malloc adds a header and
// rounds sizes up.
inline int64_t HeldBytesOfText(size_t size) {
  constexpr size_t kInObject = 15, kLeast = 31, kHeader = 8, kUnit = 16;
  if (size <= kInObject) return 0;
  const size_t block = std::max(size + 1, kLeast);
  return static_cast<int64_t>((block + block / 8 + kHeader + kUnit - 1) /
                              kUnit * kUnit);
}
// Returns how many bytes `text` holds outside of the std::string object.
inline int64_t HeldBytes(const std::string& text) {
  return HeldBytesOfText(text.size());
}
// Returns an upper bound for the bytes that `strings` strings hold outside of
// their objects. `text_bytes` is the sum of the sizes of the strings.
inline int64_t MostHeldBytes(int64_t strings, int64_t text_bytes) {
  return SaturatingAdd(SaturatingMultiply(strings, HeldBytesOfText(16)),
                       SaturatingAdd(text_bytes, text_bytes / 8));
}

// Returns the sum of the sizes of the strings, in bytes.
inline int64_t TextBytes(absl::Span<const std::string> strings) {
  int64_t bytes = 0;
  for (const std::string& text : strings) {
    bytes += static_cast<int64_t>(text.size());
  }
  return bytes;
}

// Returns how many bytes the handle's strings hold outside of the handle.
inline int64_t HeldBytes(const ResourceHandle& handle) {
  return HeldBytes(handle.device) + HeldBytes(handle.container) +
         HeldBytes(handle.name) + HeldBytes(handle.maybe_type_name);
}
// Returns 0: copies of a variant share its value, and the tensors in the value
// are counted where they were allocated.
inline int64_t HeldBytes(const Variant&) { return 0; }

}  // namespace leat

#endif  // LEAT_CORE_HELD_BYTES_H_
