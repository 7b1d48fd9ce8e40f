// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the node that Output::Slice adds. tests/runtime/slice_test.cc tests the
// values.
#include "leat/graph/builder/index.h"

#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"

namespace leat::index_test {
namespace {

using ::testing::HasSubstr;

static_assert(std::is_convertible_v<int, Index>);
static_assert(std::is_convertible_v<int64_t, Index>);
static_assert(std::is_convertible_v<Output, Index>);
static_assert(!std::is_convertible_v<bool, Index>);
static_assert(!std::is_convertible_v<float, Index>);
static_assert(!std::is_convertible_v<const char*, Index>);

std::string Message(const GraphBuilder& b) {
  return std::string(b.status().message());
}

std::string At(int line, absl::string_view text) {
  return absl::StrCat(text, " (", SourceLocation::Current().file, ":", line,
                      ")");
}

TEST(IndexTest, KnowsTheShape) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {5, 6, 7});
  const Output i = b.Placeholder<int32_t>("i", Shape{});
  EXPECT_EQ(x.Slice({0}).shape(), PartialShape({6, 7}));
  EXPECT_EQ(x.Slice({All(), -1}).shape(), PartialShape({5, 7}));
  EXPECT_EQ(x.Slice({Range(1, 3), All(-1), Range(0, 7, 2)}).shape(),
            PartialShape({2, 6, 4}));
  EXPECT_EQ(x.Slice({From(2), Until(-1)}).shape(), PartialShape({3, 5, 7}));
  EXPECT_EQ(x.Slice({Ellipsis(), 0, NewAxis()}).shape(),
            PartialShape({5, 6, 1}));
  EXPECT_EQ(x.Slice({}).shape(), x.shape());
  EXPECT_EQ(x.Slice({All(), i}).shape(), PartialShape({5, 7}));
  EXPECT_EQ(x.Slice({Range(i, i + 2)}).shape(), PartialShape({-1, 6, 7}));
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(IndexTest, NamesNodesAsTensorFlowsPythonDoes) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {5, 6});
  const Output i = b.Placeholder<int64_t>("i", Shape{});
  EXPECT_EQ(x.Slice({0}).name(), "strided_slice:0");
  const Operation slice = x.Slice({All(), i}).operation();
  EXPECT_EQ(slice.name(), "strided_slice_1");
  EXPECT_EQ(slice.input(1).name(), "strided_slice_1/begin:0");
  EXPECT_EQ(slice.input(3).dtype(), DType::kInt64);
  EXPECT_EQ(slice.attr<int64_t>("shrink_axis_mask"), 2);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

TEST(IndexTest, RefusesASingleIndexOutsideOfTheAxis) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {5, 6});
  const int line = __LINE__ + 1;
  x.Slice({All(), 6});
  EXPECT_EQ(Message(b),
            At(line,
               "node 'strided_slice' (StridedSlice): slice "
               "index 6 of dimension 1 out of bounds.; input shapes: "
               "[5,6], [2], [2], [2]"));
}

TEST(IndexTest, RefusesMoreItemsThanAxes) {
  GraphBuilder b;
  b.Placeholder<float>("x", {5, 6}).Slice({0, 0, 0});
  EXPECT_THAT(Message(b), HasSubstr("input has only 2 dims"));
}

TEST(IndexTest, RefusesTwoEllipses) {
  GraphBuilder b;
  b.Placeholder<float>("x", {5, 6}).Slice({Ellipsis(), Ellipsis()});
  EXPECT_THAT(Message(b), HasSubstr("Multiple ellipses"));
}

TEST(IndexTest, RefusesAnIndexThatIsNoInteger) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {5, 6});
  const Output y = b.Placeholder<float>("y", Shape{});
  const int line = __LINE__ + 1;
  x.Slice({All(), Range(0, y)});
  EXPECT_EQ(Message(b),
            At(line,
               "Slice: the end of item 1, 'y:0', is of type float[], but "
               "must be an int16, int32 or int64 scalar"));
}

TEST(IndexTest, RefusesAnIndexThatIsNoScalar) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {5, 6});
  const Output y = b.Placeholder<int32_t>("y", {3});
  const int line = __LINE__ + 1;
  x.Slice({y});
  EXPECT_EQ(Message(b),
            At(line,
               "Slice: the begin of item 0, 'y:0', is of type int32[3], "
               "but must be an int16, int32 or int64 scalar"));
}

TEST(IndexTest, PassesErrorsOn) {
  EXPECT_FALSE(Output().Slice({0}).IsValid());
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {5, 6});
  x.Slice({Output()});
  EXPECT_THAT(Message(b), HasSubstr("input 'begin' is an output of no node"));
}

}  // namespace
}  // namespace leat::index_test
