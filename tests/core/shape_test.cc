// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/shape.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::shape_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(const absl::StatusOr<Shape>& shape) {
  EXPECT_EQ(shape.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(shape.status().message());
}

TEST(ShapeTest, DefaultIsAScalarWithOneElement) {
  const Shape shape;
  EXPECT_EQ(shape.rank(), 0);
  EXPECT_EQ(shape.num_elements(), 1);
  EXPECT_TRUE(shape.IsScalar());
  EXPECT_EQ(shape.DebugString(), "[]");
}

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(Shape({2, 3, 4}).num_elements(), 24);
  EXPECT_EQ(Shape({2, 0, 4}).num_elements(), 0);
  EXPECT_EQ(Shape({2, 3}).DebugString(), "[2,3]");
  EXPECT_TRUE(Shape({3}).IsVector());
  EXPECT_TRUE(Shape({3, 1}).IsMatrix());
}

TEST(ShapeTest, HoldsVeryLargeShapes) {
  const auto shape = Shape::Create({int64_t{1} << 30, int64_t{1} << 30});
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->num_elements(), int64_t{1} << 60);
  const auto longest = Shape::Create({INT64_MAX, 1, 1});
  ASSERT_TRUE(longest.ok());
  EXPECT_EQ(longest->num_elements(), INT64_MAX);
}

TEST(ShapeTest, RefusesElementCountsThatOverflow) {
  EXPECT_THAT(ErrorOf(Shape::Create({int64_t{1} << 32, int64_t{1} << 31})),
              HasSubstr("[4294967296,2147483648]"));
  ErrorOf(Shape::Create({INT64_MAX, 2}));
  // The product of the extents wraps around to 0.
  ErrorOf(Shape::Create({int64_t{1} << 32, int64_t{1} << 32}));
}

TEST(ShapeTest, RefusesOverflowBesideAZeroExtentInAnyOrder) {
  const int64_t large = int64_t{1} << 40;
  ErrorOf(Shape::Create({0, large, large}));
  ErrorOf(Shape::Create({large, 0, large}));
  ErrorOf(Shape::Create({large, large, 0}));
}

TEST(ShapeTest, RefusesNegativeExtents) {
  EXPECT_THAT(ErrorOf(Shape::Create({2, -1})), HasSubstr("-1"));
  ErrorOf(Shape::Create({INT64_MIN}));
  ErrorOf(Shape::Create({0, -5}));
}

TEST(ShapeTest, LimitsTheRank) {
  EXPECT_TRUE(Shape::Create(std::vector<int64_t>(254, 1)).ok());
  EXPECT_THAT(ErrorOf(Shape::Create(std::vector<int64_t>(255, 1))),
              HasSubstr("255"));
}

TEST(ShapeTest, ComputesRowMajorStrides) {
  EXPECT_THAT(Shape({2, 3, 4}).Strides(), ElementsAre(12, 4, 1));
  EXPECT_TRUE(Shape().Strides().empty());
  EXPECT_THAT(Shape({2, 0, 4}).Strides(), ElementsAre(0, 4, 1));
}

TEST(ShapeTest, ComparesExtents) {
  EXPECT_EQ(Shape({1, 2}), Shape({1, 2}));
  EXPECT_NE(Shape({2}), Shape({2, 1}));
  EXPECT_NE(Shape({0, 2}), Shape({2, 0}));
}

TEST(ShapeTest, DiesOnInvalidLiterals) {
  EXPECT_DEATH(Shape({-1}), "check failed");
}

TEST(CheckedArithmeticTest, RefusesOverflowAndNegativeNumbers) {
  EXPECT_EQ(*CheckedMultiply(6, 7), 42);
  EXPECT_EQ(*CheckedMultiply(0, INT64_MAX), 0);
  EXPECT_FALSE(CheckedMultiply(INT64_MAX, 2).ok());
  EXPECT_FALSE(CheckedMultiply(-1, 2).ok());
  EXPECT_FALSE(CheckedMultiply(-1, -2).ok());
  EXPECT_EQ(*CheckedAdd(INT64_MAX - 1, 1), INT64_MAX);
  EXPECT_FALSE(CheckedAdd(INT64_MAX, 1).ok());
  EXPECT_FALSE(CheckedAdd(3, -1).ok());
}

TEST(BroadcastShapesTest, AlignsFromTheRightAndStretchesOnes) {
  EXPECT_EQ(*BroadcastShapes(Shape({2, 1, 3}), Shape({4, 1})),
            Shape({2, 4, 3}));
  EXPECT_EQ(*BroadcastShapes(Shape(), Shape({5})), Shape({5}));
  EXPECT_EQ(*BroadcastShapes(Shape(), Shape()), Shape());
  EXPECT_EQ(*BroadcastShapes(Shape({3}), Shape({3})), Shape({3}));
}

TEST(BroadcastShapesTest, StretchesOnesToZero) {
  EXPECT_EQ(*BroadcastShapes(Shape({0}), Shape({1})), Shape({0}));
  EXPECT_EQ(*BroadcastShapes(Shape({1, 2}), Shape({0, 2})), Shape({0, 2}));
  EXPECT_FALSE(BroadcastShapes(Shape({0}), Shape({2})).ok());
}

TEST(BroadcastShapesTest, ReportsClashesAsTensorFlowDoes) {
  EXPECT_EQ(ErrorOf(BroadcastShapes(Shape({2}), Shape({3}))),
            "Incompatible shapes: [2] vs. [3]");
}

TEST(BroadcastShapesTest, RefusesResultsThatOverflow) {
  const int64_t large = int64_t{1} << 40;
  ErrorOf(BroadcastShapes(Shape({large, 1}), Shape({1, large})));
}

TEST(NormalizeAxisTest, CountsNegativeAxesFromTheEnd) {
  EXPECT_EQ(*NormalizeAxis(-1, 3), 2);
  EXPECT_EQ(*NormalizeAxis(-3, 3), 0);
  EXPECT_EQ(*NormalizeAxis(2, 3), 2);
}

TEST(NormalizeAxisTest, RefusesAxesOutsideTheRank) {
  EXPECT_FALSE(NormalizeAxis(3, 3).ok());
  EXPECT_FALSE(NormalizeAxis(-4, 3).ok());
  EXPECT_FALSE(NormalizeAxis(0, 0).ok());
  EXPECT_FALSE(NormalizeAxis(INT64_MIN, 3).ok());
  EXPECT_FALSE(NormalizeAxis((int64_t{1} << 32) + 1, 3).ok());
}

TEST(WithDimTest, ReplacesOneExtent) {
  EXPECT_EQ(*WithDim(Shape({2, 3}), 1, 7), Shape({2, 7}));
  EXPECT_EQ(WithDim(Shape({2, 3}), 1, 7)->num_elements(), 14);
  ErrorOf(WithDim(Shape({2, 3}), 0, -1));
  ErrorOf(WithDim(Shape({2, 3}), 0, INT64_MAX));
}

}  // namespace
}  // namespace leat::shape_test
