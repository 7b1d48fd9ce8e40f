// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// half (IEEE binary16) and bfloat16: 16-bit storage types. Arithmetic happens
// in float; conversion rounds to nearest even and keeps infinities and NaNs.
// A program that uses this header need not be compiled for a processor with
// F16C, only run on one, as the library itself.
#ifndef LEAT_CORE_FLOAT16_H_
#define LEAT_CORE_FLOAT16_H_

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>

#define LEAT_F16C_ __attribute__((target("f16c")))

namespace leat {

struct half {
  uint16_t bits = 0;

  half() = default;
  LEAT_F16C_ explicit half(float value)
      : bits(static_cast<uint16_t>(
            _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT))) {}
  LEAT_F16C_ operator float() const {  // NOLINT: widening
    return _cvtsh_ss(bits);
  }
  static half FromBits(uint16_t bits) {
    half result;
    result.bits = bits;
    return result;
  }
};

struct bfloat16 {
  uint16_t bits = 0;

  bfloat16() = default;
  explicit bfloat16(float value) : bits(Round(value)) {}
  operator float() const {  // NOLINT: widening
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  static bfloat16 FromBits(uint16_t bits) {
    bfloat16 result;
    result.bits = bits;
    return result;
  }

 private:
  static uint16_t Round(float value) {
    const uint32_t wide = std::bit_cast<uint32_t>(value);
    if (std::isnan(value)) return static_cast<uint16_t>((wide >> 16) | 0x0040);
    return static_cast<uint16_t>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16);
  }
};

}  // namespace leat

#undef LEAT_F16C_

#endif  // LEAT_CORE_FLOAT16_H_
