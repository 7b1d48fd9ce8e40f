// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Crc32c computes CRC-32C checksums (Castagnoli), which protect checkpoints and
// event files. The functions are stateless and thread-safe.
//
//   uint32_t crc = Crc32c("first part");
//   crc = Crc32c("second part", crc);
//   const uint32_t stored = Mask(crc);
#ifndef LEAT_CORE_CRC32C_H_
#define LEAT_CORE_CRC32C_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace leat {

// Returns the checksum of `bytes` that follow bytes with the checksum `before`.
uint32_t Crc32c(absl::string_view bytes, uint32_t before = 0);

// Mask returns the form in which a checksum is stored. Without masking, the
// checksum of bytes that contain checksums would be weak. Unmask returns the
// checksum that was passed to Mask.
constexpr uint32_t Mask(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}
constexpr uint32_t Unmask(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

// A long sequence of bytes is written or read in pieces of this size, so that a
// piece is still in the cache when its checksum is computed.
inline constexpr size_t kChecksumPiece = size_t{1} << 20;

}  // namespace leat

#endif  // LEAT_CORE_CRC32C_H_
