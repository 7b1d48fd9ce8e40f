// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A varint is a number in bytes of 7 bits, the lowest ones first. The highest
// bit of a byte says that another byte follows. Messages, indexes of
// checkpoints and the metadata of variants have such numbers. The functions are
// stateless and thread-safe.
//
//   AppendVarint64(300, &bytes);
//   if (!TakeVarint64(rest, length)) return Damaged("the length is cut off");
#ifndef LEAT_CORE_VARINT_H_
#define LEAT_CORE_VARINT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace leat {

// Appends `value` as a varint.
inline void AppendVarint64(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>(value | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

// Reads a varint byte by byte. `next(byte)` sets `byte` to the next byte, or
// returns false if there is none. ReadVarint64 returns false if the varint is
// cut off or has more than 64 bits.
template <class Next>
bool ReadVarint64(Next next, uint64_t& value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = 0;
    if (!next(byte) || (shift == 63 && byte > 1)) return false;
    result |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      value = result;
      return true;
    }
  }
  return false;
}

// Takes a varint from the front of `bytes`. Returns false if it is cut off or
// has more than 64 bits; then `bytes` does not change.
inline bool TakeVarint64(absl::string_view& bytes, uint64_t& value) {
  size_t taken = 0;
  const auto next = [&](uint8_t& byte) {
    if (taken == bytes.size()) return false;
    byte = static_cast<uint8_t>(bytes[taken++]);
    return true;
  };
  if (!ReadVarint64(next, value)) return false;
  bytes.remove_prefix(taken);
  return true;
}

}  // namespace leat

#endif  // LEAT_CORE_VARINT_H_
