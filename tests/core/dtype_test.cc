// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/dtype.h"

#include <cstring>
#include <optional>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "leat/core/dtype_list.h"
#include "leat/core/resource_handle.h"
#include "leat/core/variant.h"
#include "leat/tests/core/dtype_encodings.h"

namespace leat::dtype_test {
namespace {

TEST(DTypeTest, NamesAreDistinctAndParseBack) {
  std::set<std::string> names;
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!DTypeFromWire(i)) continue;
    const DType dtype = static_cast<DType>(i);
    EXPECT_TRUE(names.insert(Name(dtype)).second) << Name(dtype);
    EXPECT_EQ(ParseDType(Name(dtype)), dtype);
    EXPECT_EQ(ParseDType(Name(RefOf(dtype))), RefOf(dtype));
    EXPECT_EQ(Name(RefOf(dtype)), Name(dtype) + "_ref");
  }
}

TEST(DTypeTest, AreAllOfTensorFlowsAndNoOthers) {
  std::set<int64_t> numbers;
  for (const DTypeEncoding& expected : kDTypeEncodings) {
    numbers.insert(expected.number);
    const std::optional<DType> dtype = DTypeFromWire(expected.number);
    ASSERT_TRUE(dtype.has_value()) << expected.name;
    EXPECT_EQ(static_cast<int>(*dtype), expected.number);
    EXPECT_EQ(Name(*dtype), expected.name);
    EXPECT_EQ(ParseDType(expected.python_name), dtype);
    EXPECT_EQ(DTypeFromWire(kRefOffset + expected.number), RefOf(*dtype));
    // `bytes_hex` holds two elements, and two hex digits for each of their
    // bytes.
    EXPECT_EQ(2 * SizeOf(*dtype), std::strlen(expected.bytes_hex) / 2)
        << expected.name;
  }
  for (int number = 0; number <= kRefOffset; ++number) {
    EXPECT_EQ(DTypeFromWire(number).has_value(), numbers.contains(number));
  }
}

// The names are those of TensorFlow 2.15's DataTypeString.
TEST(DTypeTest, HasTensorFlowsNamesAndNumbers) {
  EXPECT_EQ(Name(DType::kFloat), "float");
  EXPECT_EQ(Name(DType::kDouble), "double");
  EXPECT_EQ(Name(DType::kHalf), "half");
  EXPECT_EQ(Name(DType::kBfloat16), "bfloat16");
  EXPECT_EQ(Name(DType::kComplex128), "complex128");
  EXPECT_EQ(Name(DType::kQuint16), "quint16");
  EXPECT_EQ(Name(DType::kFloat8E4M3Fn), "float8_e4m3fn");
  EXPECT_EQ(Name(DType::kInvalid), "invalid");
  EXPECT_EQ(static_cast<int>(RefOf(DType::kFloat)), 101);
}

TEST(DTypeTest, ParsesNumPysNamesToo) {
  EXPECT_EQ(ParseDType("float32"), DType::kFloat);
  EXPECT_EQ(ParseDType("float64_ref"), RefOf(DType::kDouble));
  EXPECT_EQ(ParseDType("float16"), DType::kHalf);
}

TEST(DTypeTest, ParsesNoOtherName) {
  for (const char* name : {"", "_ref", "Float", "float ", "int", "invalid",
                           "float_ref_ref", "float_"}) {
    EXPECT_EQ(ParseDType(name), std::nullopt) << name;
  }
}

TEST(DTypeTest, WireNumbersAreChecked) {
  for (int64_t number = -300; number <= 300; ++number) {
    const int64_t base = number > 100 ? number - 100 : number;
    const bool known = (base >= 1 && base <= 25) || base == 29 || base == 30;
    EXPECT_EQ(DTypeFromWire(number).has_value(), known) << number;
    if (!known) continue;
    EXPECT_EQ(static_cast<int>(*DTypeFromWire(number)), number);
  }
  // A conversion that keeps only the lowest byte would accept these as valid
  // numbers.
  EXPECT_EQ(DTypeFromWire(257), std::nullopt);
  EXPECT_EQ(DTypeFromWire(INT64_MIN), std::nullopt);
  EXPECT_EQ(DTypeFromWire(INT64_MAX), std::nullopt);
}

TEST(DTypeTest, EveryNumberOfAByteHasASizeAndAName) {
  for (int number = 0; number <= 255; ++number) {
    const DType dtype = static_cast<DType>(number);
    EXPECT_LE(SizeOf(dtype), 16u);
    EXPECT_FALSE(Name(dtype).empty());
  }
  EXPECT_EQ(SizeOf(static_cast<DType>(26)), 0u);
  EXPECT_EQ(SizeOf(static_cast<DType>(100)), 0u);
}

TEST(DTypeTest, RefConversionsAreIdempotent) {
  EXPECT_EQ(RefOf(RefOf(DType::kInt64)), RefOf(DType::kInt64));
  EXPECT_EQ(BaseOf(BaseOf(RefOf(DType::kInt64))), DType::kInt64);
  EXPECT_FALSE(IsRef(DType::kFloat8E4M3Fn));
  EXPECT_TRUE(IsRef(RefOf(DType::kFloat)));
}

TEST(DTypeTest, SizesAreThoseOfTheElementTypes) {
  for (const DType dtype : kPlain.dtypes()) {
    VisitDType(kPlain, dtype, [&](auto tag) {
      EXPECT_EQ(SizeOf(dtype), sizeof(typename decltype(tag)::type));
    });
    EXPECT_EQ(SizeOf(RefOf(dtype)), SizeOf(dtype));
  }
  EXPECT_EQ(SizeOf(DType::kQint8), 1u);
  EXPECT_EQ(SizeOf(DType::kQuint16), 2u);
  EXPECT_EQ(SizeOf(DType::kQint32), 4u);
}

TEST(DTypeTest, ObjectsAreNotPlainBytes) {
  EXPECT_FALSE(IsPlainBytes(kDTypeOf<std::string>));
  EXPECT_FALSE(IsPlainBytes(kDTypeOf<ResourceHandle>));
  EXPECT_FALSE(IsPlainBytes(kDTypeOf<Variant>));
  EXPECT_FALSE(IsPlainBytes(DType::kInvalid));
  EXPECT_TRUE(IsPlainBytes(DType::kQint8));
}

TEST(DTypeTest, KindsAreDisjoint) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const DType dtype = static_cast<DType>(i);
    EXPECT_LE(IsFloating(dtype) + IsInteger(dtype) + IsComplex(dtype), 1);
    EXPECT_EQ(IsFloating(dtype), kFloats.Contains(dtype));
    EXPECT_EQ(IsInteger(dtype), kInts.Contains(dtype));
    EXPECT_EQ(IsComplex(dtype), kComplexes.Contains(dtype));
  }
  EXPECT_TRUE(IsFloating(RefOf(DType::kFloat)));
}

}  // namespace
}  // namespace leat::dtype_test
