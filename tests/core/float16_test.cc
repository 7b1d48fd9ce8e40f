// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/float16.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace leat::float16_test {
namespace {

// Returns the value of `bits` according to the definition of the formats: one
// sign bit, then `exponent_bits` bits of exponent, then the fraction.
double Value(uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int max_exponent = (1 << exponent_bits) - 1;
  const int bias = max_exponent / 2;
  const int exponent = (bits >> fraction_bits) & max_exponent;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == max_exponent) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) {
    return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  }
  return sign * std::ldexp(fraction + (1 << fraction_bits),
                           exponent - bias - fraction_bits);
}

template <class T>
struct Format;
template <>
struct Format<half> {
  static constexpr int kExponentBits = 5;
};
template <>
struct Format<bfloat16> {
  static constexpr int kExponentBits = 8;
};

template <class T>
class Float16Test : public ::testing::Test {
 public:
  static constexpr int kExponentBits = Format<T>::kExponentBits;
  static constexpr int kFractionBits = 15 - kExponentBits;
  static constexpr uint16_t kInfinity = ((1 << kExponentBits) - 1)
                                        << kFractionBits;

  // Makes the test fail if `bits` is not `value` rounded to nearest, ties to
  // even.
  static void ExpectNearest(float value, uint16_t bits) {
    const uint16_t magnitude = bits & 0x7fff;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0);
    const double exact = std::fabs(static_cast<double>(value));
    // Rounding treats infinity as the number that would follow the largest
    // finite number.
    const double largest = Value(kInfinity - 1, kExponentBits);
    const double step = largest - Value(kInfinity - 2, kExponentBits);
    const auto at = [&](uint16_t b) {
      return b == kInfinity ? largest + step : Value(b, kExponentBits);
    };
    if (std::isinf(exact)) {
      ASSERT_EQ(magnitude, kInfinity);
      return;
    }
    ASSERT_LE(magnitude, kInfinity);
    const bool is_even = magnitude % 2 == 0;
    if (magnitude > 0) {
      const double middle = (at(magnitude - 1) + at(magnitude)) / 2;
      ASSERT_TRUE(exact > middle || (exact == middle && is_even)) << value;
    }
    if (magnitude < kInfinity) {
      const double middle = (at(magnitude) + at(magnitude + 1)) / 2;
      ASSERT_TRUE(exact < middle || (exact == middle && is_even)) << value;
    }
  }
};

using Types = ::testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(Float16Test, Types);

TYPED_TEST(Float16Test, AllBitPatternsRoundTripAndMeanTheirValue) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const TypeParam number = TypeParam::FromBits(bits);
    const double value = Value(bits, TestFixture::kExponentBits);
    const float wide = number;
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(wide)) << i;
      EXPECT_TRUE(std::isnan(float{TypeParam(wide)})) << i;
      continue;
    }
    ASSERT_EQ(wide, value) << i;
    ASSERT_EQ(TypeParam(wide).bits, bits) << i;
  }
}

TYPED_TEST(Float16Test,
           RoundsNeighboursMiddlesAndTheirNeighboursToNearestEven) {
  for (int i = 0; i < TestFixture::kInfinity; ++i) {
    const float low = TypeParam::FromBits(static_cast<uint16_t>(i));
    const float high = TypeParam::FromBits(static_cast<uint16_t>(i + 1));
    const double end = std::isinf(high) ? 2.0 * low : high;
    const float middle =
        static_cast<float>((static_cast<double>(low) + end) / 2);
    for (const float value :
         {std::nextafterf(low, 1e38f), std::nextafterf(middle, 0.0f), middle,
          std::nextafterf(middle, 1e38f)}) {
      TestFixture::ExpectNearest(value, TypeParam(value).bits);
      TestFixture::ExpectNearest(-value, TypeParam(-value).bits);
    }
  }
}

TYPED_TEST(Float16Test, SamplesOfAllFloatsRoundToNearestEven) {
  uint32_t bits = 12345;
  for (int i = 0; i < 100000; ++i) {
    bits = bits * 1664525 + 1013904223;
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float{TypeParam(value)}));
    } else {
      TestFixture::ExpectNearest(value, TypeParam(value).bits);
    }
  }
}

TYPED_TEST(Float16Test, KeepsInfinitiesNaNsAndSignedZeros) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(float{TypeParam(kInf)}, kInf);
  EXPECT_EQ(float{TypeParam(-kInf)}, -kInf);
  EXPECT_EQ(TypeParam(-0.0f).bits, 0x8000);
  EXPECT_EQ(TypeParam(0.0f).bits, 0);
  EXPECT_EQ(TypeParam().bits, 0);
  EXPECT_EQ(float{TypeParam(std::numeric_limits<float>::max())}, kInf);
  // Only one fraction bit of this NaN is set, and rounding drops that bit.
  const float nan = std::bit_cast<float>(uint32_t{0x7f800001});
  EXPECT_TRUE(std::isnan(float{TypeParam(nan)}));
}

}  // namespace
}  // namespace leat::float16_test
