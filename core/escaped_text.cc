// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/escaped_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace leat {
namespace {

// Returns the length in bytes of the UTF-8 character with which the text
// begins. Returns 0 for bytes that are not a character up to U+10FFFF, for a
// character that is encoded in too many bytes, and for a character that
// controls a terminal.
size_t CharacterBytes(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return first < ' ' || first == 0x7f ? 0 : 1;
  const size_t size = first >= 0xf5   ? 0
                      : first >= 0xf0 ? 4
                      : first >= 0xe0 ? 3
                      : first >= 0xc2 ? 2
                                      : 0;
  if (size == 0 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xc2 && byte(1) < 0xa0) return 0;   // C1 controls
  if (first == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
  if (first == 0xed && byte(1) >= 0xa0) return 0;  // surrogates
  if (first == 0xf0 && byte(1) < 0x90) return 0;   // overlong
  if (first == 0xf4 && byte(1) >= 0x90) return 0;  // above U+10FFFF
  return size;
}

// Escapes a text, except for the characters in `kept`.
std::string Escape(absl::string_view text, absl::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const size_t bytes =
        absl::StrContains(kept, text[0]) ? 1 : CharacterBytes(text);
    if (bytes > 0) {
      out.append(text.data(), bytes);
    } else if (text[0] == '\n') {
      out += "\\n";
    } else if (text[0] == '\t') {
      out += "\\t";
    } else {
      absl::StrAppend(
          &out, "\\x",
          absl::Hex(static_cast<uint8_t>(text[0]), absl::kZeroPad2));
    }
    text.remove_prefix(std::max(bytes, size_t{1}));
  }
  return out;
}

}  // namespace

std::string Escaped(absl::string_view text) { return Escape(text, ""); }

std::string EscapedLines(absl::string_view text) {
  return Escape(text, "\n\t");
}

}  // namespace leat
