// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what happens to the elements of datasets: which ones come, and what
// functions and batches make of them. tests/runtime/dataset_cases_test.cc
// compares what each op reads with TensorFlow.
#include <cstdint>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/train/dataset_testing.h"
#include "leat/train/dataset.h"

namespace leat::dataset_stages_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

TEST(DatasetTest, ChoosesAndRepeatsElements) {
  const Dataset five = Dataset::Range(0, 5);
  EXPECT_THAT(NumbersOf(five.Take(2)), ElementsAre(0, 1));
  EXPECT_THAT(NumbersOf(five.Skip(3)), ElementsAre(3, 4));
  EXPECT_THAT(NumbersOf(five.Take(2).Repeat(2)), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(NumbersOf(five.Repeat().Take(7)),
              ElementsAre(0, 1, 2, 3, 4, 0, 1));
  EXPECT_THAT(NumbersOf(five.Filter([](GraphBuilder&, Outputs x) {
                return op::Greater(x[0], 2);
              })),
              ElementsAre(3, 4));
  EXPECT_THAT(NumbersOf(five.Prefetch(2)), ElementsAre(0, 1, 2, 3, 4));
}

TEST(DatasetTest, MakesBatches) {
  const Dataset five = Dataset::Range(0, 5);
  const auto batches = ReadAll(five.Batch(2));
  EXPECT_THAT(batches, ElementsAre(Tensor::Vector<int64_t>({0, 1}),
                                   Tensor::Vector<int64_t>({2, 3}),
                                   Tensor::Vector<int64_t>({4})));
  EXPECT_EQ(ReadAll(five.Batch(2, {.drop_remainder = true})).size(), 2u);
}

TEST(DatasetTest, Concatenates) {
  const Dataset both = Dataset::Range(0, 2).Concatenate(Dataset::Range(5, 7));
  EXPECT_THAT(NumbersOf(both), ElementsAre(0, 1, 5, 6));
  const Dataset rows = Dataset::Tensors({Tensor::Filled<float>(Shape{2, 3}, 1)})
                           .Concatenate(Dataset::Tensors(
                               {Tensor::Filled<float>(Shape{4, 3}, 1)}));
  EXPECT_THAT(ShapesOf(rows), ElementsAre(PartialShape({-1, 3})));
}

// Returns vectors of 1, 2 and 3 elements, as numbers, texts and bools.
Dataset Triangle() {
  return Dataset::Range(1, 4).Map([](GraphBuilder& b, Outputs x) {
    const Output size = op::Reshape(x[0], {1});
    return Outputs{op::Fill(size, x[0]), op::Fill(size, b.Const("s")),
                   op::Fill(size, b.Const(true))};
  });
}

TEST(DatasetTest, PadsBatches) {
  const DatasetPaddedBatchOptions vectors = {.shapes = {{-1}, {-1}, {-1}}};
  const Dataset data = Triangle().PaddedBatch(2, vectors);
  EXPECT_THAT(ReadAll(data),
              ElementsAre(Tensor::Of<int64_t>(Shape{2, 2}, {1, 0, 2, 2}),
                          Tensor::Of<int64_t>(Shape{1, 3}, {3, 3, 3})));
  EXPECT_THAT(
      ReadAll(data, 1),
      ElementsAre(Tensor::Of<std::string>(Shape{2, 2}, {"s", "", "s", "s"}),
                  Tensor::Of<std::string>(Shape{1, 3}, {"s", "s", "s"})));
  EXPECT_THAT(
      ReadAll(data, 2),
      ElementsAre(Tensor::Of<bool>(Shape{2, 2}, {true, false, true, true}),
                  Tensor::Of<bool>(Shape{1, 3}, {true, true, true})));

  const Dataset padded =
      Triangle().PaddedBatch(2, {.drop_remainder = true,
                                 .shapes = {{3}, {-1}, {-1}},
                                 .values = {Tensor::Scalar<int64_t>(-1),
                                            Tensor::Scalar<std::string>("pad"),
                                            Tensor::Scalar<bool>(true)}});
  EXPECT_THAT(ShapesOf(padded),
              ElementsAre(PartialShape({2, 3}), PartialShape({2, -1}),
                          PartialShape({2, -1})));
  EXPECT_THAT(ReadAll(padded), ElementsAre(Tensor::Of<int64_t>(
                                   Shape{2, 3}, {1, -1, -1, 2, 2, -1})));
  // Shapes that are known need not be given.
  const Dataset rows =
      Dataset::TensorSlices({Tensor::Filled<float>(Shape{3, 2}, 1),
                             Tensor::Filled<half>(Shape{3}, half(1))});
  EXPECT_THAT(ShapesOf(rows.PaddedBatch(2)),
              ElementsAre(PartialShape({-1, 2}), PartialShape({-1})));
  EXPECT_EQ(ReadAll(rows.PaddedBatch(2)).size(), 2u);
}

TEST(DatasetTest, ShufflesInAnOrderThatDependsOnTheSeed) {
  const Dataset numbers = Dataset::Range(0, 100);
  const Dataset data = numbers.Shuffle(50, /*seed=*/3).Repeat(2);
  const Numbers order = NumbersOf(data);
  EXPECT_EQ(NumbersOf(data), order);
  EXPECT_NE(NumbersOf(numbers.Shuffle(50, 4).Repeat(2)), order);
  const Numbers first(order.begin(), order.begin() + 100);
  const Numbers second(order.begin() + 100, order.end());
  EXPECT_NE(first, second);
  Numbers all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_THAT(first, UnorderedElementsAreArray(all));
  // Each reader has its own order if there is no seed.
  EXPECT_NE(NumbersOf(numbers.Shuffle(50)), NumbersOf(numbers.Shuffle(50)));
}

TEST(DatasetTest, CallsAFunctionForEachElement) {
  const Dataset numbers = Dataset::Range(0, 20);
  const Dataset::MapFunction square = [](GraphBuilder& b, Outputs x) {
    return Outputs{op::Square(x[0]), b.Const(true), op::AsString(x[0])};
  };
  for (const int64_t calls : {1, 4, -1}) {
    const Dataset data = numbers.Map(square, {.parallel_calls = calls});
    const Numbers squares = NumbersOf(data);
    ASSERT_EQ(squares.size(), 20u);
    for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(squares[i], i * i);
    const Strings texts = Flat<std::string>(data, 2);
    ASSERT_EQ(texts.size(), 20u);
    EXPECT_EQ(texts[13], "13");
    const auto reader = Opened(data);
    ASSERT_NE(reader, nullptr);
    EXPECT_THAT(reader->dtypes(),
                ElementsAre(DType::kInt64, DType::kBool, DType::kString));
  }
}

TEST(DatasetTest, CachesWhatTheFirstPassReads) {
  const TemporaryFolder folder;
  Write(folder.Path("text"), "a\nb\n");
  const auto reader =
      Opened(Dataset::TextLines({folder.Path("text")}).Cache().Repeat());
  const auto next = [&] { return (**reader->Next())[0].scalar<std::string>(); };
  for (const char* line : {"a", "b"}) EXPECT_EQ(next(), line);
  EXPECT_EQ(next(), "a");
  Write(folder.Path("text"), "other\n");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(next(), "b");
    EXPECT_EQ(next(), "a");
  }
}

TEST(DatasetTest, ShardsHaveEachRecordOnce) {
  const TemporaryFolder folder;
  const Strings paths = {folder.Path("0"), folder.Path("1")};
  Write(paths[0], RecordsFrom(0, 7));
  Write(paths[1], RecordsFrom(7, 4));
  Strings all;
  for (int worker = 0; worker < 3; ++worker) {
    const Strings shard = StringsOf(
        Dataset::TfRecords(paths).Shard(3, worker).Shuffle(10, worker));
    EXPECT_EQ(shard.size(), worker < 2 ? 4u : 3u);
    all.insert(all.end(), shard.begin(), shard.end());
  }
  Strings expected;
  for (int i = 0; i < 11; ++i) expected.push_back(absl::StrCat(i));
  EXPECT_THAT(all, UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace leat::dataset_stages_test
