// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests specs of ExampleParser that TensorFlow does not check, and which error
// counts if several threads find one. The op cases test everything else.
#include "leat/kernels/codecs/parse_examples.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::parse_examples_test {
namespace {

using ::testing::HasSubstr;

// An Example whose feature "a" has the numbers 1, 2 and 3.
const char kExample[] = "\x0a\x0e\x0a\x0c\x0a\1a\x12\7\x1a\5\x0a\3\1\2\3";

class ParseExamplesTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::vector<Tensor>> Parse(
      ExampleSpec spec, const std::vector<std::string>& examples) {
    auto parser = ExampleParser::Create(std::move(spec));
    if (!parser.ok()) return parser.status();
    return parser->ParseBatch(
        examples, {},
        {harness_.device().allocator(), harness_.device().compute_queue()});
  }
  static ExampleSpec Padded(const PartialShape& shape) {
    return {.dense = {{"a", DType::kInt64, shape, Tensor::Scalar<int64_t>(0)}}};
  }

  testing::KernelTestHarness harness_{4};
};

TEST_F(ParseExamplesTest, ParsesAnExample) {
  const auto tensors = Parse({.ragged = {{"a", DType::kInt64, DType::kInt32}}},
                             {kExample, "", kExample});
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  EXPECT_TRUE(
      Identical((*tensors)[0], Tensor::Vector<int64_t>({1, 2, 3, 1, 2, 3})));
  EXPECT_TRUE(Identical((*tensors)[1], Tensor::Vector<int32_t>({0, 3, 3, 6})));
}

// TensorFlow divides by zero.
TEST_F(ParseExamplesTest, RowsWithoutElementsHaveNoValues) {
  const auto tensors = Parse(Padded({PartialShape::kUnknown, 0}), {kExample});
  EXPECT_THAT(tensors.status().ToString(),
              HasSubstr("not a multiple of stride length"));
  const auto empty = Parse(Padded({PartialShape::kUnknown, 0}), {""});
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ((*empty)[0].shape(), (Shape{1, 0, 0}));
}

TEST_F(ParseExamplesTest, VastShapesAreRefused) {
  constexpr int64_t kVast = int64_t{1} << 40;
  EXPECT_FALSE(Parse(Padded({PartialShape::kUnknown, kVast, kVast}), {}).ok());
  EXPECT_FALSE(Parse({.dense = {{"a",
                                 DType::kInt64,
                                 {kVast, kVast},
                                 Tensor::Scalar<int64_t>(0)}}},
                     {})
                   .ok());
}

TEST_F(ParseExamplesTest, WrongSpecsAreRefused) {
  const ListFeature a = {"a", DType::kInt64};
  EXPECT_THAT(Parse({.sparse = {a}, .ragged = {a}}, {}).status().ToString(),
              HasSubstr("asked for twice"));
  EXPECT_FALSE(Parse({.sparse = {{"a", DType::kInt32}}}, {}).ok());
  EXPECT_FALSE(
      Parse({.ragged = {{"a", DType::kInt64, DType::kFloat}}}, {}).ok());
  EXPECT_FALSE(
      Parse({.dense = {{"a", DType::kInt64, {1}, Tensor()}}}, {}).ok());
}

TEST_F(ParseExamplesTest, TheErrorOfTheFirstExampleCounts) {
  std::vector<std::string> examples(5000, kExample);
  for (size_t i = 1234; i < examples.size(); i += 7) {
    examples[i].resize(5 + i % 9);
  }
  const auto tensors =
      Parse({.dense = {{"a", DType::kInt64, {2}, Tensor::Vector<int64_t>({})}}},
            examples);
  EXPECT_THAT(tensors.status().ToString(), HasSubstr("Index: 0."));
  const auto sparse = Parse({.sparse = {{"a", DType::kInt64}}}, examples);
  EXPECT_THAT(sparse.status().ToString(),
              HasSubstr("Could not parse example input, value: '" +
                        examples[1234] + "', Index: 1234"));
}

}  // namespace
}  // namespace leat::parse_examples_test
