// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// half (IEEE binary16) and bfloat16 are the C++ types of the elements of half
// and bfloat16 tensors. They only store values: arithmetic happens in float.
// Conversion from float rounds to nearest even and keeps infinities and NaNs.
//
//   half h(1.5f);
//   float sum = h + 2.0f;  // converts h to float
//
// Like the library itself, a program that includes this header must run on a
// processor with F16C instructions. The program need not be compiled for such a
// processor.
#ifndef LEAT_CORE_FLOAT16_H_
#define LEAT_CORE_FLOAT16_H_

#include <bit>
#include <cmath>
#include <cstdint>

// Lets one function use F16C instructions in a file compiled without them.
#define LEAT_F16C_ __attribute__((target("f16c")))

namespace leat {

// These functions convert one number with F16C instructions, as _cvtss_sh and
// _cvtsh_ss of <immintrin.h> do. They use the compiler's builtins, because
// <immintrin.h> would add 60,000 lines to every file that includes this header.
namespace f16c {

using Floats = float __attribute__((vector_size(16)));
using Halves = short __attribute__((vector_size(16)));

LEAT_F16C_ inline uint16_t FromFloat(float value) {
  constexpr int kNearestEven = 0;
  const Halves halves =
      __builtin_ia32_vcvtps2ph(Floats{value, 0, 0, 0}, kNearestEven);
  return static_cast<uint16_t>(halves[0]);
}

LEAT_F16C_ inline float ToFloat(uint16_t bits) {
  return __builtin_ia32_vcvtph2ps(
      Halves{static_cast<short>(bits), 0, 0, 0, 0, 0, 0, 0})[0];
}

}  // namespace f16c

// Describes a number with 1 sign bit, 5 exponent bits and 10 fraction bits. Is
// a plain value.
struct half {
  uint16_t bits = 0;

  half() = default;
  // Rounds to nearest even. A value that is too large becomes an infinity.
  LEAT_F16C_ explicit half(float value) : bits(f16c::FromFloat(value)) {}
  // This conversion is exact.
  LEAT_F16C_ operator float() const {  // NOLINT: widening
    return f16c::ToFloat(bits);
  }
  // Returns the number whose representation is `bits`.
  static half FromBits(uint16_t bits) {
    half result;
    result.bits = bits;
    return result;
  }
};

// Holds the upper half of a float: 1 sign bit, 8 exponent bits, 7 fraction
// bits. Is a plain value.
struct bfloat16 {
  uint16_t bits = 0;

  bfloat16() = default;
  // Rounds to nearest even. A value that is too large becomes an infinity.
  explicit bfloat16(float value) : bits(Round(value)) {}
  // This conversion is exact.
  operator float() const {  // NOLINT: widening
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  // Returns the number whose representation is `bits`.
  static bfloat16 FromBits(uint16_t bits) {
    bfloat16 result;
    result.bits = bits;
    return result;
  }

 private:
  // Rounds to nearest even and returns the upper 16 bits.
  static uint16_t Round(float value) {
    const uint32_t wide = std::bit_cast<uint32_t>(value);
    // The fraction of a NaN must not become zero, because the result would be
    // an infinity.
    if (std::isnan(value)) return static_cast<uint16_t>((wide >> 16) | 0x0040);
    return static_cast<uint16_t>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16);
  }
};

}  // namespace leat

#undef LEAT_F16C_

#endif  // LEAT_CORE_FLOAT16_H_
