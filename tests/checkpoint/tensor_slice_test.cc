// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/tensor_slice.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/slice_key.h"

namespace leat::tensor_slice_test {
namespace {

using ::testing::HasSubstr;

TEST(TensorSliceTest, TextsAndMessagesGiveBackTheSlice) {
  for (const char* const text :
       {"", "-", "0,1", "3,4:-:0,9223372036854775807"}) {
    const auto slice = TensorSlice::Parse(text);
    ASSERT_TRUE(slice.ok()) << slice.status();
    EXPECT_EQ(slice->ToString(), text);
    EXPECT_EQ(*TensorSlice::FromProto(slice->ToProto()), *slice);
  }
  EXPECT_TRUE(TensorSlice::Parse("-:-")->IsWhole());
  EXPECT_EQ(TensorSlice::Whole(2), *TensorSlice::Parse("-:-"));
  EXPECT_FALSE(TensorSlice::Parse("-:0,1")->IsWhole());
}

TEST(TensorSliceTest, WrongTextsAreRefused) {
  for (const char* const text : {"x", "1", "1,2,3", "-1,2", "0,0", "0,-1", ":",
                                 "0,1:", "0,9223372036854775808"}) {
    EXPECT_EQ(TensorSlice::Parse(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
  std::string many = "-";
  for (int i = 1; i < Shape::kMaxRank; ++i) many += ":-";
  EXPECT_TRUE(TensorSlice::Parse(many).ok());
  EXPECT_FALSE(TensorSlice::Parse(many + ":-").ok());
}

TEST(TensorSliceTest, WrongMessagesAreRefused) {
  pb::TensorSliceProto proto;
  proto.add_extent()->set_length(0);
  EXPECT_FALSE(TensorSlice::FromProto(proto).ok());
  proto.mutable_extent(0)->set_length(1);
  proto.mutable_extent(0)->set_start(-1);
  EXPECT_FALSE(TensorSlice::FromProto(proto).ok());
  proto.mutable_extent(0)->set_start(1);
  EXPECT_TRUE(TensorSlice::FromProto(proto).ok());
  for (int i = 0; i < Shape::kMaxRank; ++i) proto.add_extent();
  EXPECT_FALSE(TensorSlice::FromProto(proto).ok());
}

TEST(TensorSliceTest, ASliceMustLieWithinTheTensor) {
  const TensorSlice slice = *TensorSlice::Parse("1,2:-");
  EXPECT_EQ(*slice.ShapeWithin(Shape{3, 7}), (Shape{2, 7}));
  for (const Shape& shape : {Shape{2, 7}, Shape{3}, Shape{}, Shape{0, 1}}) {
    EXPECT_EQ(slice.ShapeWithin(shape).status().code(),
              absl::StatusCode::kInternal);
  }
  const TensorSlice huge = *TensorSlice::Parse("1,9223372036854775807");
  EXPECT_FALSE(huge.ShapeWithin(Shape{5}).ok());
}

// TensorFlow 2.15.1 gave these errors.
TEST(ParseShapeAndSliceTest, FailsAsTensorFlowDoes) {
  const auto error = [](const char* text) {
    return ParseShapeAndSlice(text).status().ToString();
  };
  EXPECT_EQ(error("3"),
            "INVALID_ARGUMENT: Need least two elements in shape_and_slice "
            "specification: '3'");
  EXPECT_THAT(error("a 0,1"),
              HasSubstr("Non numerical dimension in shape_and_slice"));
  EXPECT_EQ(error("4 0,2:-"),
            "INTERNAL: Mismatching ranks: shape = [4], slice = 0,2:-");
  EXPECT_EQ(error("4 3,2"),
            "INTERNAL: Extent in dimension 0 out of bounds: shape = [4], slice "
            "= 3,2");
  EXPECT_EQ(error("4 0,-1"),
            "INVALID_ARGUMENT: Expected non-negative start and positive length "
            "but got start = 0, length = -1: string = '0,-1'");
  EXPECT_EQ(error("4 x"),
            "INVALID_ARGUMENT: Expected a pair of numbers or '-' but got 'x': "
            "string = 'x'");
  // TensorFlow's process crashes on these texts.
  EXPECT_THAT(error("-1 -"), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(error("4  0,2"), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(error("4611686018427387904 4611686018427387904 -:-"),
              HasSubstr("INVALID_ARGUMENT"));
}

TEST(ParseShapeAndSliceTest, ParsesShapeAndSlice) {
  const auto part = ParseShapeAndSlice("100 20 10,50:-");
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(part->full, (Shape{100, 20}));
  EXPECT_EQ(part->shape, (Shape{50, 20}));
  EXPECT_EQ(part->slice.ToString(), "10,50:-");
}

// This test checks only the order of the keys. tensorflow_bundles_test checks
// that their bytes are the same as in TensorFlow.
TEST(SliceKeyTest, KeysSortAsTheSlicesDo) {
  std::string before;
  for (const int64_t start :
       {int64_t{0}, int64_t{1}, int64_t{63}, int64_t{64}, int64_t{8191},
        int64_t{8192}, int64_t{1} << 20, int64_t{1} << 55, int64_t{1} << 62}) {
    const auto slice = TensorSlice::Parse(absl::StrCat(start, ",1"));
    const std::string key = SliceKey("name", *slice);
    EXPECT_LT(before, key) << start;
    before = key;
  }
  EXPECT_LT(SliceKey("a", TensorSlice::Whole(1)),
            SliceKey("a", *TensorSlice::Parse("0,1")));
  EXPECT_LT(SliceKey("a", TensorSlice::Whole(1)),
            SliceKey(absl::string_view("a\0", 2), TensorSlice::Whole(1)));
}

}  // namespace
}  // namespace leat::tensor_slice_test
