// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions find the characters of UTF-8 text. They take any bytes: a
// character begins at each byte that does not continue one. They are stateless
// and thread-safe.
#ifndef LEAT_CORE_UTF8_H_
#define LEAT_CORE_UTF8_H_

#include <algorithm>
#include <cstddef>

#include "absl/strings/string_view.h"

namespace leat {

// Returns true if `byte` belongs to the character that began before it.
inline bool ContinuesUtf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// Returns the number of characters.
inline size_t CountUtf8(absl::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(),
                    [](char byte) { return !ContinuesUtf8(byte); }));
}

// Returns the longest prefix of `text` that has at most `max_bytes` bytes and
// does not end inside of a UTF-8 character.
inline absl::string_view Utf8Prefix(absl::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t size = max_bytes;
  while (size > 0 && ContinuesUtf8(text[size])) --size;
  return text.substr(0, size);
}

}  // namespace leat

#endif  // LEAT_CORE_UTF8_H_
