// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/slice_key.h"

#include <cstdint>

#include "absl/numeric/bits.h"

namespace leat {
namespace {

// Appends how many bytes the number needs, and then these bytes, the highest
// first.
void AppendUnsigned(uint64_t number, std::string& key) {
  const int num_bytes = (absl::bit_width(number) + 7) / 8;
  key.push_back(static_cast<char>(num_bytes));
  for (int i = num_bytes - 1; i >= 0; --i) {
    key.push_back(static_cast<char>(number >> (8 * i)));
  }
}

// Appends 1 to 10 bytes. They begin with as many equal bits as there are bytes.
// These bits are zeros if the number is negative, and otherwise ones. Then come
// one opposite bit and the number.
void AppendSigned(int64_t number, std::string& key) {
  const uint64_t magnitude =
      static_cast<uint64_t>(number < 0 ? ~number : number);
  const int num_bytes = absl::bit_width(magnitude) / 7 + 1;
  const uint8_t sign = number < 0 ? 0xff : 0;
  uint8_t bytes[10] = {sign, sign};
  for (int i = 0; i < 8; ++i) {
    bytes[2 + i] =
        static_cast<uint8_t>(static_cast<uint64_t>(number) >> (8 * (7 - i)));
  }
  uint8_t* const first = bytes + 10 - num_bytes;
  const uint32_t header = 0xffff0000u >> num_bytes;  // num_bytes ones at bit 15
  first[0] ^= static_cast<uint8_t>(header >> 8);
  if (num_bytes > 1) first[1] ^= static_cast<uint8_t>(header);
  key.append(reinterpret_cast<const char*>(first),
             static_cast<size_t>(num_bytes));
}

// Appends the text with its bytes 0x00 and 0xff escaped, and an end mark.
void AppendText(absl::string_view text, std::string& key) {
  for (const char c : text) {
    key.push_back(c);
    if (c == '\0') key.push_back('\xff');
    if (c == '\xff') key.push_back('\0');
  }
  key.push_back('\0');
  key.push_back('\1');
}

}  // namespace

std::string SliceKey(absl::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendUnsigned(0, key);
  AppendText(name, key);
  AppendUnsigned(static_cast<uint64_t>(slice.rank()), key);
  for (int i = 0; i < slice.rank(); ++i) {
    AppendSigned(slice.extent(i).start, key);
    AppendSigned(slice.extent(i).length, key);
  }
  return key;
}

}  // namespace leat
