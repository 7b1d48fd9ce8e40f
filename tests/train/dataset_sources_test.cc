// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests where the elements of datasets come from: tensors, numbers and files.
// tests/runtime/dataset_cases_test.cc compares what each op reads with
// TensorFlow.
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/summary/records.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/train/dataset_testing.h"
#include "leat/train/dataset.h"

namespace leat::dataset_sources_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the path of a file that TensorFlow has written.
std::string File(const std::string& name) {
  return absl::StrCat(testing::TestsDir(), "/runtime/dataset_files/", name);
}

TEST(DatasetTest, HasTensorsRowsAndNumbers) {
  EXPECT_THAT(NumbersOf(Dataset::Range(1, 8, 3)), ElementsAre(1, 4, 7));
  EXPECT_THAT(NumbersOf(Dataset::Range(2, -1, -2)), ElementsAre(2, 0));
  const Tensor rows = Tensor::Of<float>(Shape{3, 2}, {0, 1, 2, 3, 4, 5});
  const Tensor names = Tensor::Vector<std::string>({"a", "b", "c"});
  EXPECT_THAT(ReadAll(Dataset::Tensors({rows, names})), ElementsAre(rows));
  const Dataset slices = Dataset::TensorSlices({rows, names});
  EXPECT_THAT(Flat<float>(slices.Skip(1)), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(Flat<std::string>(slices, 1), ElementsAre("a", "b", "c"));
  const Dataset zipped = Dataset::Zip({Dataset::Range(0, 2), slices});
  EXPECT_THAT(NumbersOf(zipped), ElementsAre(0, 1));
  EXPECT_THAT(Flat<std::string>(zipped, 2), ElementsAre("a", "b"));
}

TEST(DatasetTest, TellsTypesAndShapes) {
  const Tensor rows = Tensor::Filled<float>(Shape{4, 2}, 1);
  const Dataset data = Dataset::Zip(
      {Dataset::TensorSlices({rows}), Dataset::TextLines({File("text")})});
  const auto reader = Opened(data.Batch(3));
  ASSERT_NE(reader, nullptr);
  EXPECT_THAT(reader->dtypes(), ElementsAre(DType::kFloat, DType::kString));
  EXPECT_THAT(reader->shapes(),
              ElementsAre(PartialShape({-1, 2}), PartialShape({-1})));
  EXPECT_THAT(ShapesOf(data.Batch(3, {.drop_remainder = true})),
              ElementsAre(PartialShape({3, 2}), PartialShape({3})));
}

TEST(DatasetTest, ReadsPlainAndCompressedFiles) {
  constexpr FileDatasetOptions kGzip = {.compression = FileCompression::kGzip};
  constexpr FileDatasetOptions kZlib = {.compression = FileCompression::kZlib};
  const Strings records = StringsOf(Dataset::TfRecords({File("records")}));
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0], "first");
  EXPECT_EQ(StringsOf(Dataset::TfRecords({File("records.gz")}, kGzip)),
            records);
  EXPECT_EQ(StringsOf(Dataset::TfRecords({File("records.z")}, kZlib)), records);

  const Strings lines = StringsOf(Dataset::TextLines({File("text")}));
  EXPECT_THAT(lines, ElementsAre("a", "", "second line", "cd", "\tlast"));
  EXPECT_EQ(StringsOf(Dataset::TextLines({File("text.gz")}, kGzip)), lines);

  const RecordLengths lengths = {.record = 3, .header = 2, .footer = 3};
  const auto fixed = [&](const std::string& name,
                         const FileDatasetOptions& options) {
    return StringsOf(
        Dataset::FixedLengthRecords({File(name)}, lengths, options));
  };
  EXPECT_THAT(fixed("fixed", {}), ElementsAre("abc", "def", "ghi"));
  EXPECT_EQ(fixed("fixed.gz", kGzip), fixed("fixed", {}));
}

TEST(DatasetTest, ReadsSeveralFilesInTurnsOrAtTheSameTime) {
  const TemporaryFolder folder;
  const Strings paths = {folder.Path("0"), folder.Path("1"), folder.Path("2")};
  for (int i = 0; i < 3; ++i) Write(paths[i], RecordsFrom(10 * i, 2));
  EXPECT_THAT(StringsOf(Dataset::TfRecords(paths)),
              ElementsAre("0", "1", "10", "11", "20", "21"));
  EXPECT_THAT(StringsOf(Dataset::TfRecords(paths, {.parallel_files = 2})),
              ElementsAre("0", "10", "1", "11", "20", "21"));
  EXPECT_THAT(StringsOf(Dataset::TfRecords({})), IsEmpty());
}

TEST(DatasetTest, AFileWithErrorsDoesNotStopTheOthers) {
  const TemporaryFolder folder;
  Write(folder.Path("good"), "a\nb\n");
  const auto reader = Opened(Dataset::TextLines(
      {folder.Path("none"), folder.Path("good")}, {.parallel_files = 2}));
  for (const char* line : {"a", "b"}) {
    const absl::Status status = reader->Next().status();
    EXPECT_TRUE(absl::IsNotFound(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(folder.Path("none")));
    const auto element = reader->Next();
    ASSERT_TRUE(element.ok()) << element.status();
    EXPECT_EQ((**element)[0].scalar<std::string>(), line);
  }
}

TEST(DatasetTest, ADatasetThatIsUsedTwiceIsReadTwice) {
  const Dataset numbers = Dataset::Range(0, 20).Shuffle(20, /*seed=*/1);
  const Dataset twice = Dataset::Zip({numbers, numbers});
  EXPECT_EQ(NumbersOf(twice), Flat<int64_t>(twice, 1));
  EXPECT_EQ(NumbersOf(twice), NumbersOf(numbers));
}

// Returns a field of a message of protobuf with fewer than 128 bytes.
std::string Field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(8 * number + 2),
                     static_cast<char>(bytes.size())} +
         bytes;
}

// Returns TensorFlow's Example with the float `value` as the feature "x".
std::string Example(float value) {
  const std::string bytes(reinterpret_cast<const char*>(&value), sizeof(value));
  const std::string feature = Field(2, Field(1, bytes));
  return Field(1, Field(1, Field(1, "x") + Field(2, feature)));
}

TEST(DatasetTest, ParsesExamplesInTfRecords) {
  const TemporaryFolder folder;
  std::string bytes;
  for (const std::string& record : {Example(1.5f), std::string(), Example(2)}) {
    AppendRecord(record, bytes);
  }
  Write(folder.Path("examples"), bytes);
  const Dataset data =
      Dataset::TfRecords({folder.Path("examples")})
          .Map([](GraphBuilder&, Outputs record) {
            return op::ParseSingleExample(record[0], /*dense_defaults=*/{-1.0f},
                                          /*num_sparse=*/0, /*sparse_keys=*/{},
                                          /*dense_keys=*/{"x"},
                                          /*sparse_types=*/{},
                                          /*dense_shapes=*/{Shape{}})
                .dense_values;
          })
          .Batch(3);
  EXPECT_THAT(Flat<float>(data), ElementsAre(1.5f, -1.0f, 2.0f));
}

}  // namespace
}  // namespace leat::dataset_sources_test
