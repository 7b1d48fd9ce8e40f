// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/partial_shape.h"

#include <vector>

#include "gtest/gtest.h"

namespace leat::partial_shape_test {
namespace {

constexpr int64_t kLarge = int64_t{1} << 40;

TEST(PartialShapeTest, DefaultKnowsNothing) {
  const PartialShape shape;
  EXPECT_FALSE(shape.rank_known());
  EXPECT_FALSE(shape.IsFullyKnown());
  EXPECT_EQ(shape.DebugString(), "<unknown>");
  EXPECT_FALSE(shape.ToShape().ok());
}

TEST(PartialShapeTest, ScalarIsFullyKnown) {
  const PartialShape scalar = Shape();
  EXPECT_TRUE(scalar.rank_known());
  EXPECT_TRUE(scalar.IsFullyKnown());
  EXPECT_EQ(scalar.DebugString(), "[]");
  EXPECT_EQ(*scalar.ToShape(), Shape());
  EXPECT_FALSE(scalar == PartialShape());
}

TEST(PartialShapeTest, HoldsUnknownExtents) {
  const PartialShape shape = {-1, 3};
  EXPECT_EQ(shape.rank(), 2);
  EXPECT_FALSE(shape.dim_known(0));
  EXPECT_TRUE(shape.dim_known(1));
  EXPECT_FALSE(shape.IsFullyKnown());
  EXPECT_EQ(shape.DebugString(), "[?,3]");
  EXPECT_FALSE(shape.ToShape().ok());
  EXPECT_EQ(*PartialShape({2, 0}).ToShape(), Shape({2, 0}));
}

TEST(PartialShapeTest, RefusesWhatNoTensorCanHave) {
  EXPECT_FALSE(PartialShape::Create({-2}).ok());
  EXPECT_FALSE(PartialShape::Create({INT64_MIN}).ok());
  EXPECT_FALSE(PartialShape::Create({kLarge, -1, kLarge}).ok());
  EXPECT_FALSE(PartialShape::Create({kLarge, 0, kLarge}).ok());
  EXPECT_FALSE(PartialShape::Create(std::vector<int64_t>(255, -1)).ok());
  EXPECT_TRUE(PartialShape::Create(std::vector<int64_t>(254, -1)).ok());
  EXPECT_TRUE(PartialShape::Create({INT64_MAX, -1}).ok());
}

TEST(PartialShapeTest, UnknownOfRankKnowsTheRankOnly) {
  EXPECT_EQ(PartialShape::UnknownOfRank(2), PartialShape({-1, -1}));
  EXPECT_EQ(PartialShape::UnknownOfRank(0), PartialShape(Shape()));
}

TEST(PartialShapeTest, CompatibleMeansThatSomeShapeFitsBoth) {
  const PartialShape unknown;
  const PartialShape batch = {-1, 3};
  EXPECT_TRUE(unknown.IsCompatibleWith(batch));
  EXPECT_TRUE(batch.IsCompatibleWith(unknown));
  EXPECT_TRUE(batch.IsCompatibleWith(Shape({7, 3})));
  EXPECT_TRUE(batch.IsCompatibleWith({7, -1}));
  EXPECT_FALSE(batch.IsCompatibleWith({7, 4}));
  EXPECT_FALSE(batch.IsCompatibleWith(Shape({3})));
  EXPECT_FALSE(batch.IsCompatibleWith(Shape()));
}

TEST(MergeTest, KnowsWhatEitherKnows) {
  EXPECT_EQ(*Merge(PartialShape(), PartialShape({-1, 3})),
            PartialShape({-1, 3}));
  EXPECT_EQ(*Merge(PartialShape({-1, 3}), PartialShape()),
            PartialShape({-1, 3}));
  EXPECT_EQ(*Merge(PartialShape({-1, 3}), PartialShape({2, -1})),
            PartialShape({2, 3}));
}

TEST(MergeTest, RefusesContradictions) {
  const auto merged = Merge(PartialShape({2, 3}), PartialShape({2, 4}));
  EXPECT_EQ(merged.status().message(),
            "Shapes [2,3] and [2,4] are incompatible");
  EXPECT_FALSE(Merge(PartialShape({2}), PartialShape({2, 1})).ok());
}

TEST(MergeTest, RefusesAProductThatOverflows) {
  EXPECT_FALSE(
      Merge(PartialShape({kLarge, -1}), PartialShape({-1, kLarge})).ok());
}

TEST(RelaxTest, KeepsWhatBothKnow) {
  EXPECT_EQ(Relax(PartialShape({2, 3}), PartialShape({2, 4})),
            PartialShape({2, -1}));
  EXPECT_EQ(Relax(PartialShape({2, 3}), PartialShape({-1, 3})),
            PartialShape({-1, 3}));
  EXPECT_EQ(Relax(PartialShape({2, 3}), PartialShape({2})), PartialShape());
  EXPECT_EQ(Relax(PartialShape(), PartialShape({2})), PartialShape());
  EXPECT_EQ(Relax(PartialShape({2}), PartialShape({2})), PartialShape({2}));
}

}  // namespace
}  // namespace leat::partial_shape_test
