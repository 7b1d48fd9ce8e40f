// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/batches.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::batches_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Returns `count` rows. Row i is the image {2 i, 2 i + 1} with label i.
LabeledImages Rows(int count) {
  std::vector<uint8_t> pixels;
  std::vector<int32_t> labels;
  for (int i = 0; i < count; ++i) {
    pixels.push_back(static_cast<uint8_t>(2 * i));
    pixels.push_back(static_cast<uint8_t>(2 * i + 1));
    labels.push_back(i);
  }
  LabeledImages data;
  data.images =
      *Tensor::Allocate(HostAllocator(), DType::kUint8, Shape{count, 2});
  std::copy(pixels.begin(), pixels.end(),
            data.images.mutable_data<uint8_t>().begin());
  data.labels = *Tensor::Allocate(HostAllocator(), DType::kInt32, Shape{count});
  std::copy(labels.begin(), labels.end(),
            data.labels.mutable_data<int32_t>().begin());
  return data;
}

// Reads all batches of one epoch and returns the labels of each batch. Expects
// that each image has the label that Rows gave to it.
std::vector<std::vector<int>> Epoch(Batches& batches) {
  std::vector<std::vector<int>> epoch;
  batches.StartEpoch();
  while (const auto batch = batches.Next()) {
    const auto labels = batch->labels.data<int32_t>();
    const auto pixels = batch->images.data<uint8_t>();
    EXPECT_EQ(pixels.size(), 2 * labels.size());
    for (size_t i = 0; i < labels.size(); ++i) {
      EXPECT_EQ(pixels[2 * i], 2 * labels[i]);
      EXPECT_EQ(pixels[2 * i + 1], 2 * labels[i] + 1);
    }
    epoch.emplace_back(labels.begin(), labels.end());
  }
  EXPECT_THAT(epoch, SizeIs(batches.num_batches()));
  return epoch;
}

std::vector<int> Sorted(const std::vector<std::vector<int>>& epoch) {
  std::vector<int> all;
  for (const auto& batch : epoch)
    all.insert(all.end(), batch.begin(), batch.end());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(BatchesTest, KeepsTheOrderAndEndsInASmallerBatch) {
  auto batches = Batches::Create(Rows(7), {.size = 3});
  ASSERT_TRUE(batches.ok()) << batches.status();
  EXPECT_EQ(batches->num_batches(), 3);
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_THAT(Epoch(*batches),
                ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5),
                            ElementsAre(6)));
  }
}

TEST(BatchesTest, LeavesTheSmallerBatchOut) {
  auto batches = Batches::Create(Rows(7), {.size = 3, .drop_remainder = true});
  ASSERT_TRUE(batches.ok()) << batches.status();
  EXPECT_THAT(Epoch(*batches),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
}

TEST(BatchesTest, HasNoSmallerBatchWhenTheRowsFit) {
  for (const bool drop : {false, true}) {
    auto batches =
        Batches::Create(Rows(6), {.size = 3, .drop_remainder = drop});
    ASSERT_TRUE(batches.ok()) << batches.status();
    EXPECT_THAT(Epoch(*batches), SizeIs(2));
  }
}

TEST(BatchesTest, ShufflesAnewEveryEpochAndAlikeForASeed) {
  const BatchOptions options = {.size = 10, .shuffle_seed = 7};
  auto first = Batches::Create(Rows(100), options);
  auto second = Batches::Create(Rows(100), options);
  auto other = Batches::Create(Rows(100), {.size = 10, .shuffle_seed = 1234});
  auto ordered = Batches::Create(Rows(100), {.size = 10});
  ASSERT_TRUE(first.ok() && second.ok() && other.ok() && ordered.ok());
  const auto epoch = Epoch(*first);
  EXPECT_EQ(epoch, Epoch(*second));
  EXPECT_NE(epoch, Epoch(*other));
  EXPECT_NE(epoch, Epoch(*ordered));
  EXPECT_EQ(Sorted(epoch), Sorted(Epoch(*ordered)));
  const auto next = Epoch(*first);
  EXPECT_NE(next, epoch);
  EXPECT_EQ(Sorted(next), Sorted(epoch));
  EXPECT_EQ(next, Epoch(*second));
}

TEST(BatchesTest, TakesABatchOfAnySize) {
  for (const int64_t size :
       {int64_t{100}, std::numeric_limits<int64_t>::max() - 1,
        std::numeric_limits<int64_t>::max()}) {
    auto batches = Batches::Create(Rows(5), {.size = size});
    ASSERT_TRUE(batches.ok()) << batches.status();
    EXPECT_EQ(batches->num_batches(), 1) << size;
    EXPECT_THAT(Epoch(*batches), ElementsAre(ElementsAre(0, 1, 2, 3, 4)));
  }
}

TEST(BatchesTest, RefusesRowsThatMakeNoBatch) {
  const auto few =
      Batches::Create(Rows(5), {.size = 128, .drop_remainder = true});
  EXPECT_EQ(few.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(few.status().message()),
              HasSubstr("5 rows make no batch of 128"));
  for (const bool drop : {false, true}) {
    const auto none =
        Batches::Create(Rows(0), {.size = 1, .drop_remainder = drop});
    EXPECT_THAT(std::string(none.status().message()),
                HasSubstr("0 rows make no batch of 1"));
  }
}

TEST(BatchesTest, RefusesSizesBelowOneAndRowsThatDoNotMatch) {
  for (const int64_t size : {int64_t{0}, std::numeric_limits<int64_t>::min()}) {
    EXPECT_EQ(Batches::Create(Rows(5), {.size = size}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  LabeledImages data = Rows(5);
  data.labels = Rows(4).labels;
  EXPECT_FALSE(Batches::Create(data, {}).ok());
  EXPECT_FALSE(Batches::Create(LabeledImages(), {}).ok());
}

}  // namespace
}  // namespace leat::batches_test
