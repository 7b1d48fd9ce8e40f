// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/window.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "leat/core/strided_slice.h"

namespace leat::window_test {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(WindowTest, ValidKeepsPositionsInsideTheInput) {
  const auto positions = PlaceWindow(9, {.size = 3, .stride = 2});
  ASSERT_TRUE(positions.ok());
  EXPECT_EQ(positions->count, 4);
  EXPECT_EQ(positions->before + positions->after, 0);
}

TEST(WindowTest, SamePutsTheOddElementAfter) {
  const auto positions =
      PlaceWindow(8, {.size = 3, .stride = 2, .padding = Padding::kSame});
  ASSERT_TRUE(positions.ok());
  EXPECT_EQ(positions->count, 4);
  EXPECT_EQ(positions->before, 0);
  EXPECT_EQ(positions->after, 1);
}

TEST(WindowTest, DilationWidensTheWindow) {
  const auto positions = PlaceWindow(9, {.size = 3, .dilation = 4});
  ASSERT_TRUE(positions.ok());
  EXPECT_EQ(positions->count, 1);
}

TEST(WindowTest, RefusesWhatIsNoWindow) {
  EXPECT_FALSE(PlaceWindow(9, {.size = 0}).ok());
  EXPECT_FALSE(PlaceWindow(9, {.stride = 0}).ok());
  EXPECT_FALSE(PlaceWindow(9, {.dilation = -1}).ok());
  EXPECT_FALSE(PlaceWindow(-1, {}).ok());
  EXPECT_FALSE(PlaceWindow(1, {.size = 3}).ok());
  EXPECT_FALSE(
      PlaceWindow(9, {.padding = Padding::kExplicit, .before = -1}).ok());
}

TEST(WindowTest, RefusesSizesThatOverflow) {
  EXPECT_FALSE(PlaceWindow(9, {.size = kMax, .dilation = 2}).ok());
  EXPECT_FALSE(PlaceWindow(kMax, {.size = 1}).ok());
  EXPECT_FALSE(
      PlaceWindow(kMax, {.size = kMax, .padding = Padding::kSame}).ok());
  EXPECT_FALSE(
      PlaceWindow(9, {.padding = Padding::kExplicit, .before = kMax}).ok());
}

TEST(StridedSliceTest, ResolvesBoundsOutsideTheExtent) {
  StridedSliceSpec spec;
  spec.begin = Dims{100};
  spec.end = Dims{-100};
  spec.strides = {-2};
  const auto box = ResolveStridedSlice(spec, PartialShape({5}));
  ASSERT_TRUE(box.ok());
  EXPECT_EQ(box->begin[0], 4);
  EXPECT_EQ(box->output, PartialShape({3}));
}

TEST(StridedSliceTest, SurvivesTheLargestNumbers) {
  StridedSliceSpec spec;
  for (const int64_t begin : {std::numeric_limits<int64_t>::min(), kMax}) {
    for (const int64_t stride : {std::numeric_limits<int64_t>::min(), kMax}) {
      spec.begin = Dims{begin};
      spec.end = Dims{-1 - begin};
      spec.strides = {stride};
      for (const int64_t extent : {int64_t{0}, int64_t{1}, kMax}) {
        EXPECT_TRUE(ResolveStridedSlice(spec, PartialShape({extent})).ok());
      }
    }
  }
}

TEST(StridedSliceTest, RefusesMoreEntriesThanAMaskHasBits) {
  StridedSliceSpec spec;
  spec.strides = Dims(64, 1);
  EXPECT_FALSE(ResolveStridedSlice(spec, PartialShape({1})).ok());
}

}  // namespace
}  // namespace leat::window_test
