// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the errors in descriptions of datasets, which Open returns.
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/tests/train/dataset_testing.h"
#include "leat/train/dataset.h"

namespace leat::dataset_errors_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

absl::Status OpenError(const Dataset& data) { return data.Open().status(); }

TEST(DatasetErrorsTest, OfTheDescriptionComeFromOpen) {
  const Dataset numbers = Dataset::Range(0, 3);
  const struct {
    Dataset data;
    std::string message;
  } cases[] = {
      {numbers.Shard(3, 3), "Index must be between 0 and 2"},
      {numbers.Batch(0), "Batch size must be greater than zero"},
      {numbers.Batch(0, {.drop_remainder = true}),
       "Batch size must be greater"},
      {numbers.Shuffle(0), "buffer_size must be greater than zero"},
      {Dataset::Range(0, 1, 0), "step must be a non-zero integer"},
      {Dataset::TensorSlices({Tensor::Scalar(1.0f)}),
       "All components must be at least 1-dimensional"},
      {Dataset::TensorSlices(
           {Tensor::Vector<float>({1}), Tensor::Vector<float>({1, 2})}),
       "All components must have the same size"},
      {Dataset::TfRecords({}, {.parallel_files = 0}),
       "parallel_files must be at least 1, but is 0"},
      {numbers.Map([](GraphBuilder&, Outputs) { return Outputs{}; }),
       "Length for attr 'output_types' of 0 must be at least minimum 1"},
      {numbers.Map(nullptr), "the std::function of a Map is empty"},
      {numbers.Filter(nullptr), "the std::function of a Filter is empty"},
      {numbers.Filter([](GraphBuilder&, Outputs x) { return x[0]; }),
       "must return a scalar bool, but returns int64 of shape []"},
      {numbers.Batch(2).Filter(
           [](GraphBuilder&, Outputs x) { return op::Greater(x[0], 2); }),
       "must return a scalar bool, but returns bool of shape [?]"},
      {numbers.Map([](GraphBuilder& b, Outputs x) {
         return Outputs{x[0] +
                        b.Variable("w", Tensor::Scalar<int64_t>(1)).value()};
       }),
       "makes the variable 'w'"},
      {numbers.Concatenate(Dataset::Tensors({Tensor::Scalar(1.0f)})),
       "have different dtypes"},
      {numbers.PaddedBatch(0), "Batch size must be greater than zero"},
      {numbers.PaddedBatch(2, {.shapes = {Shape{}, Shape{}}}),
       "for each of 1 components, but has 2 shapes and 0 values"},
      {numbers.PaddedBatch(2, {.shapes = {PartialShape()}}),
       "the shape of component 0, because its rank is not known"},
      {numbers.PaddedBatch(2, {.values = {Tensor::Scalar(1.0f)}}),
       "Toutput_types = [float], but Toutput_types = [int64] follows"},
      {Dataset::Zip({}), "Value for attr 'N' of 0 must be at least minimum 1"},
      {Dataset::Tensors({}),
       "Length for attr 'Toutput_types' of 0 must be at least minimum 1"},
  };
  for (const auto& [data, message] : cases) {
    const absl::Status status = OpenError(data);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(message)) << status;
  }
  EXPECT_THAT(numbers.Open({.num_threads = -1}).status().message(),
              HasSubstr("threads"));
}

TEST(DatasetErrorsTest, NameThePlaceInTheProgram) {
  GraphBuilder other;
  const Output foreign = other.Const(int64_t{1});
  const int line = __LINE__ + 1;
  const Dataset data = Dataset::Range(0, 3).Map(
      [&](GraphBuilder&, Outputs) { return Outputs{foreign}; });
  const absl::Status status = OpenError(data.Batch(2));
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("'MapDataset_function' returns as tensor 0"),
                    HasSubstr("belongs to another GraphBuilder"),
                    HasSubstr(absl::StrCat("dataset_errors_test.cc:", line))));
}

TEST(DatasetErrorsTest, TooManyStages) {
  Dataset data = Dataset::Range(0, 3);
  for (int i = 0; i < 100'000; ++i) data = data.Take(1);
  const absl::Status status = OpenError(data);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("1000 stages upon one another"));
}

TEST(DatasetErrorsTest, StagesThatAreReadTooOften) {
  for (const int times : {14, 80}) {  // the number of stages would be 2^times
    Dataset data = Dataset::Range(0, 3);
    for (int i = 0; i < times; ++i) data = Dataset::Zip({data, data});
    const absl::Status status = OpenError(data);
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("more than 10000 stages"),
                                        HasSubstr("dataset_errors_test.cc:")));
  }
}

}  // namespace
}  // namespace leat::dataset_errors_test
