// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Utf8Prefix shortens text without cutting a character. It is stateless and
// thread-safe.
#ifndef LEAT_CORE_UTF8_H_
#define LEAT_CORE_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace leat {

// Returns the longest prefix of `text` that has at most `max_bytes` bytes and
// does not end inside of a UTF-8 character.
inline absl::string_view Utf8Prefix(absl::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const auto continues = [text](size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  size_t size = max_bytes;
  while (size > 0 && continues(size)) --size;
  return text.substr(0, size);
}

}  // namespace leat

#endif  // LEAT_CORE_UTF8_H_
