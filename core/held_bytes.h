// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldBytes: what one object of a tensor holds outside of the tensor's buffer.
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

// Memory of a string of so many bytes: short ones lie in the object; others in
// a block, of which a header, or the distance to the next size that malloc has,
// takes up to an eighth.
inline int64_t HeldBytesOfText(size_t size) {
  constexpr size_t kInObject = 15, kLeast = 31, kHeader = 8, kUnit = 16;
  if (size <= kInObject) return 0;
  const size_t block = std::max(size + 1, kLeast);
  return static_cast<int64_t>((block + block / 8 + kHeader + kUnit - 1) /
                              kUnit * kUnit);
}
inline int64_t HeldBytes(const std::string& text) {
  return HeldBytesOfText(text.size());
}
// Of strings with so many bytes together; at least what they hold.
inline int64_t MostHeldBytes(int64_t strings, int64_t text_bytes) {
  return SaturatingAdd(SaturatingMultiply(strings, HeldBytesOfText(16)),
                       SaturatingAdd(text_bytes, text_bytes / 8));
}

// Of text, without what is around it.
inline int64_t TextBytes(absl::Span<const std::string> strings) {
  int64_t bytes = 0;
  for (const std::string& text : strings) {
    bytes += static_cast<int64_t>(text.size());
  }
  return bytes;
}

inline int64_t HeldBytes(const ResourceHandle& handle) {
  return HeldBytes(handle.device) + HeldBytes(handle.container) +
         HeldBytes(handle.name) + HeldBytes(handle.maybe_type_name);
}
// Copies share the value; the tensors in it count themselves.
inline int64_t HeldBytes(const Variant&) { return 0; }

}  // namespace leat

#endif  // LEAT_CORE_HELD_BYTES_H_
