// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/crc32c.h"

#include <algorithm>
#include <cstddef>

#include "isa-l/crc.h"

namespace leat {
namespace {

// ISA-L takes the length as an int.
constexpr size_t kMaxPiece = size_t{1} << 30;

}  // namespace

uint32_t Crc32c(absl::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  while (!bytes.empty()) {
    const absl::string_view piece = bytes.substr(0, kMaxPiece);
    // The function does not write to the buffer.
    auto* const data =
        reinterpret_cast<unsigned char*>(const_cast<char*>(piece.data()));
    crc = crc32_iscsi(data, static_cast<int>(piece.size()), crc);
    bytes.remove_prefix(piece.size());
  }
  return ~crc;
}

}  // namespace leat
