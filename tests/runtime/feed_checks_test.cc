// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/feed_checks.h"

#include "gtest/gtest.h"

namespace leat::feed_checks_test {
namespace {

FeedSpec TwoFeeds() {
  return {.names = {"x", "y:1"},
          .types = {DType::kFloat, DType::kInt32},
          .shapes = {PartialShape{-1, 3}, PartialShape{2}}};
}
Tensor Floats(const Shape& shape) { return Tensor::Filled<float>(shape, 0); }

TEST(FeedChecksTest, TakesWhatFits) {
  const Tensor y = Tensor::Vector<int32_t>({1, 2});
  EXPECT_EQ(CheckFeeds(TwoFeeds(), {Floats({5, 3}), y}), absl::OkStatus());
  EXPECT_EQ(CheckFeeds(TwoFeeds(), {Floats({0, 3}), y}), absl::OkStatus());
  EXPECT_EQ(CheckFeeds({}, {}), absl::OkStatus());
}

TEST(FeedChecksTest, CountsThem) {
  EXPECT_EQ(
      CheckFeeds(TwoFeeds(), {Floats({5, 3})}),
      absl::InvalidArgumentError("the step takes 2 feeds but was given 1"));
}

TEST(FeedChecksTest, RefusesAnotherType) {
  EXPECT_EQ(CheckFeeds(TwoFeeds(), {Floats({5, 3}), Floats({2})}),
            absl::InvalidArgumentError(
                "feed 'y:1' is float but the tensor is int32"));
  EXPECT_EQ(CheckFeeds(TwoFeeds(), {Tensor(), Floats({2})}).code(),
            absl::StatusCode::kInvalidArgument);
}

// TensorFlow's Python client gives the same message.
TEST(FeedChecksTest, RefusesAShapeThatIsExcluded) {
  EXPECT_EQ(
      CheckFeeds(TwoFeeds(), {Floats({5}), Tensor::Vector<int32_t>({1, 2})}),
      absl::InvalidArgumentError(
          "Cannot feed value of shape (5,) for Tensor x:0, which has shape "
          "(None, 3)"));
  EXPECT_EQ(
      CheckFeeds(TwoFeeds(), {Floats({5, 3}), Tensor::Vector<int32_t>({1})}),
      absl::InvalidArgumentError(
          "Cannot feed value of shape (1,) for Tensor y:1, which has shape "
          "(2,)"));
}

}  // namespace
}  // namespace leat::feed_checks_test
