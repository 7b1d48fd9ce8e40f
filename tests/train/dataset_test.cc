// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the datasets of C++ programs: what they read, and what readers and
// iterators do. tests/runtime/dataset_cases_test.cc compares what each op reads
// with TensorFlow.
#include "leat/train/dataset.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/files/output_file.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/summary/records.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/train/session.h"

namespace leat::dataset_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::InProcessCluster;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Outputs = std::vector<Output>;
using Numbers = std::vector<int64_t>;
using Strings = std::vector<std::string>;

// Returns the path of a file that TensorFlow has written.
std::string File(const std::string& name) {
  return absl::StrCat(LEAT_TESTS_DIR, "/runtime/dataset_files/", name);
}

void Write(const std::string& path, const std::string& bytes) {
  EXPECT_EQ(WriteFile(path, bytes), absl::OkStatus());
}

// Returns a TFRecord file with the numbers from `first` on, as text.
std::string RecordsFrom(int first, int count) {
  std::string bytes;
  for (int i = first; i < first + count; ++i) {
    AppendRecord(absl::StrCat(i), bytes);
  }
  return bytes;
}

std::unique_ptr<DatasetReader> Opened(const Dataset& data) {
  auto reader = data.Open({.num_threads = 2});
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

// Returns the tensors of component `component` until the end or an error, which
// fails the test.
std::vector<Tensor> ReadAll(DatasetReader& reader, size_t component = 0) {
  std::vector<Tensor> tensors;
  for (;;) {
    auto element = reader.Next();
    EXPECT_TRUE(element.ok()) << element.status();
    if (!element.ok() || !element->has_value()) return tensors;
    tensors.push_back((**element)[component]);
  }
}

// Returns nothing if the dataset cannot be opened.
std::vector<Tensor> ReadAll(const Dataset& data, size_t component = 0) {
  const auto reader = Opened(data);
  if (reader == nullptr) return {};
  return ReadAll(*reader, component);
}

// Returns the elements of all tensors of a component, one after another.
template <class T>
std::vector<T> Flat(const Dataset& data, size_t component = 0) {
  std::vector<T> all;
  for (const Tensor& tensor : ReadAll(data, component)) {
    const auto elements = tensor.data<T>();
    all.insert(all.end(), elements.begin(), elements.end());
  }
  return all;
}
Numbers NumbersOf(const Dataset& data) { return Flat<int64_t>(data); }
Strings StringsOf(const Dataset& data) { return Flat<std::string>(data); }

absl::Status OpenError(const Dataset& data) { return data.Open().status(); }

// ---- Sources ----

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
  EXPECT_THAT(reader->dtypes(), ElementsAre(DType::kFloat, DType::kString));
  EXPECT_THAT(reader->shapes(),
              ElementsAre(PartialShape({-1, 2}), PartialShape({-1})));
  const auto whole = Opened(data.Batch(3, {.drop_remainder = true}));
  EXPECT_THAT(whole->shapes(),
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

// ---- Stages ----

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
  EXPECT_THAT(Opened(rows)->shapes(), ElementsAre(PartialShape({-1, 3})));
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

  const auto padded = Opened(
      Triangle().PaddedBatch(2, {.drop_remainder = true,
                                 .shapes = {{3}, {-1}, {-1}},
                                 .values = {Tensor::Scalar<int64_t>(-1),
                                            Tensor::Scalar<std::string>("pad"),
                                            Tensor::Scalar<bool>(true)}}));
  EXPECT_THAT(padded->shapes(),
              ElementsAre(PartialShape({2, 3}), PartialShape({2, -1}),
                          PartialShape({2, -1})));
  EXPECT_THAT(ReadAll(*padded), ElementsAre(Tensor::Of<int64_t>(
                                    Shape{2, 3}, {1, -1, -1, 2, 2, -1})));
  // Shapes that are known need not be given.
  const Dataset rows =
      Dataset::TensorSlices({Tensor::Filled<float>(Shape{3, 2}, 1),
                             Tensor::Filled<half>(Shape{3}, half(1))});
  EXPECT_THAT(Opened(rows.PaddedBatch(2))->shapes(),
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
  EXPECT_THAT(first, ::testing::UnorderedElementsAreArray(all));
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
    EXPECT_EQ(Flat<std::string>(data, 2)[13], "13");
    EXPECT_EQ(Opened(data)->dtypes()[1], DType::kBool);
  }
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
  EXPECT_THAT(all, ::testing::UnorderedElementsAreArray(expected));
}

// ---- Readers ----

TEST(DatasetReaderTest, StaysAtTheEndAndMayBeOpenedAgain) {
  const Dataset data = Dataset::Range(0, 2);
  const auto reader = Opened(data);
  const std::vector<Tensor> numbers = ReadAll(*reader);
  EXPECT_EQ(numbers.size(), 2u);
  EXPECT_FALSE(reader->Next()->has_value());
  EXPECT_FALSE(reader->NextFeeds({"x"})->has_value());
  EXPECT_THAT(ReadAll(data), ElementsAreArray(numbers));
}

TEST(DatasetReaderTest, ElementsOutliveIt) {
  std::vector<Tensor> batches;
  {
    const auto reader = Opened(Dataset::Range(0, 1000).Batch(500).Prefetch(1));
    batches = ReadAll(*reader);
  }
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[1].data<int64_t>()[499], 999);
}

TEST(DatasetReaderTest, LimitsItsMemory) {
  const auto reader =
      Dataset::Tensors({Tensor::Filled<float>(Shape{1024}, 1)})
          .Repeat()
          .Map([](GraphBuilder&, Outputs x) { return Outputs{x[0] + 1}; })
          .Shuffle(100'000)
          .Open({.num_threads = 1, .memory_bytes = 1 << 20});
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE(absl::IsResourceExhausted((*reader)->Next().status()));
}

TEST(DatasetReaderTest, SharesElementsAmongThreads) {
  const auto reader = Opened(Dataset::Range(0, 200).Prefetch(4));
  std::vector<std::vector<Tensor>> read(3);
  {
    std::vector<Thread> threads;
    for (auto& tensors : read) {
      threads.emplace_back("reads", [&] { tensors = ReadAll(*reader); });
    }
  }
  std::vector<bool> seen(200);
  for (const auto& tensors : read) {
    for (const Tensor& tensor : tensors) seen[tensor.scalar<int64_t>()] = true;
  }
  EXPECT_EQ(read[0].size() + read[1].size() + read[2].size(), 200u);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 200);
}

// A named pipe that this process holds open and never writes to.
class SilentPipe {
 public:
  explicit SilentPipe(const std::string& path) : path_(path) {
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    pipe_ = FileDescriptor(open(path.c_str(), O_RDWR));
  }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  FileDescriptor pipe_;
};

TEST(DatasetReaderTest, EndsWhileAPipeIsSilent) {
  const TemporaryFolder folder;
  const SilentPipe pipe(folder.Path("pipe"));
  Write(folder.Path("text"), "a\n");
  const Dataset data = Dataset::TextLines({folder.Path("text"), pipe.path()});
  for (const Dataset& read : {data, data.Prefetch(2)}) {
    const auto reader = Opened(read);
    EXPECT_EQ((**reader->Next())[0].scalar<std::string>(), "a");
  }
  // Close ends a call that may wait already, and one that comes later.
  const auto reader = Opened(data.Skip(1));
  absl::Status status;
  {
    const Thread waits("waits", [&] { status = reader->Next().status(); });
    reader->Close();
  }
  EXPECT_TRUE(absl::IsCancelled(status) || absl::IsFailedPrecondition(status))
      << status;
  EXPECT_TRUE(absl::IsFailedPrecondition(reader->Next().status()));
}

// ---- Errors ----

TEST(DatasetErrorsTest, NameFilesAndPositions) {
  const TemporaryFolder folder;
  std::string bytes = RecordsFrom(0, 3);
  const size_t position = bytes.size() / 3 + kRecordHeaderBytes;
  bytes[position] ^= 1;
  Write(folder.Path("damaged"), bytes);
  Write(folder.Path("good"), RecordsFrom(5, 1));
  const auto reader =
      Opened(Dataset::TfRecords({folder.Path("damaged"), folder.Path("good")}));
  EXPECT_EQ((**reader->Next())[0].scalar<std::string>(), "0");
  const absl::Status damaged = reader->Next().status();
  EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
  EXPECT_THAT(damaged.message(),
              AllOf(HasSubstr(folder.Path("damaged")),
                    HasSubstr(absl::StrCat("corrupted record at ", position))));
  EXPECT_THAT(ReadAll(*reader), ElementsAre(Tensor::Scalar<std::string>("5")));

  const auto missing = Opened(Dataset::TextLines({folder.Path("none")}));
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = missing->Next().status();
    EXPECT_TRUE(absl::IsNotFound(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(folder.Path("none")));
  }
}

TEST(DatasetErrorsTest, OfAFunctionNameTheNodeAndLeaveOneElementOut) {
  for (const int64_t calls : {1, 3}) {
    const auto reader = Opened(
        Dataset::TensorSlices({Tensor::Vector<std::string>({"1", "x", "3"})})
            .Map(
                [](GraphBuilder& b, Outputs x) {
                  const Scope scope = b.NameScope("parse");
                  return Outputs{
                      op::StringToNumber(x[0], {.out_type = DType::kInt64})};
                },
                {.parallel_calls = calls}));
    EXPECT_EQ((**reader->Next())[0].scalar<int64_t>(), 1);
    const absl::Status status = reader->Next().status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("parse/StringToNumber"));
    EXPECT_THAT(ReadAll(*reader), ElementsAre(Tensor::Scalar<int64_t>(3)));
  }
}

// A queue that is closed and empty fails with OUT_OF_RANGE.
TEST(DatasetErrorsTest, OfAFunctionAreNotTheEnd) {
  for (const int64_t calls : {1, 3}) {
    const auto reader = Opened(Dataset::Range(0, 1).Map(
        [](GraphBuilder& b, Outputs) {
          const Output queue = op::FIFOQueueV2(b, {DType::kInt64});
          const Operation closes = op::QueueCloseV2(queue);
          const Scope after = b.ControlDependencies({&closes, 1});
          return op::QueueDequeueV2(op::Identity(queue), {DType::kInt64});
        },
        {.parallel_calls = calls}));
    const absl::Status status = reader->Next().status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("OutOfRange"));
    EXPECT_FALSE(reader->Next()->has_value());
  }
}

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
                    HasSubstr(absl::StrCat("dataset_test.cc:", line))));
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
                                        HasSubstr("dataset_test.cc:")));
  }
}

TEST(DatasetErrorsTest, AnotherNumberOfFeeds) {
  const auto reader = Opened(Dataset::Range(0, 3));
  const absl::Status status = reader->NextFeeds({"x", "y"}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(),
              HasSubstr("an element has 1 components, but 2 tensors"));
  EXPECT_EQ((*reader->NextFeeds({"x"}))->front().value,
            Tensor::Scalar<int64_t>(0));
}

// ---- Sessions that get the elements ----

// Returns a dataset of the batches {0, 1}, {2, 3} and {4}, and of their sums.
Dataset BatchesWithSums() {
  return Dataset::Range(0, 5).Batch(2).Map([](GraphBuilder&, Outputs x) {
    return Outputs{x[0], op::Sum(x[0], {0})};
  });
}

// Holds the nodes of a graph that is fed with the elements of BatchesWithSums.
struct FedNodes {
  Output batch = {};
  Output sum = {};
  Output computed_sum = {};  // of the batch
  Output difference = {};    // between the two sums
};

FedNodes AddFedNodes(GraphBuilder& b) {
  FedNodes nodes{.batch = b.Placeholder<int64_t>("batch", {-1}),
                 .sum = b.Placeholder<int64_t>("sum", Shape{})};
  nodes.computed_sum = op::Sum(nodes.batch, {0});
  nodes.difference = nodes.computed_sum - nodes.sum;
  return nodes;
}

// Expects that a step was fed with the batch whose sum is `sum`.
void ExpectSum(const absl::StatusOr<std::vector<Tensor>>& out, int64_t sum) {
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(*out,
              ElementsAre(Tensor::Scalar(sum), Tensor::Scalar<int64_t>(0)));
}

// Feeds all elements of BatchesWithSums to a session.
void ExpectFeeds(Session& session, const FedNodes& nodes) {
  const std::vector<TensorName> fed = {nodes.batch, nodes.sum};
  const std::vector<TensorName> fetched = {nodes.computed_sum,
                                           nodes.difference};
  const auto reader = Opened(BatchesWithSums());
  for (const int64_t sum : {1, 5, 4}) {
    const auto feeds = reader->NextFeeds(fed);
    ASSERT_TRUE(feeds.ok()) << feeds.status();
    ASSERT_TRUE(feeds->has_value());
    ExpectSum(session.Run({.feeds = **feeds, .fetches = fetched}), sum);
  }
  const auto end = reader->NextFeeds(fed);
  ASSERT_TRUE(end.ok()) << end.status();
  EXPECT_FALSE(end->has_value());
  // A Callable takes the elements as they are.
  const auto call = session.MakeCallable({.feeds = fed, .fetches = fetched});
  ASSERT_TRUE(call.ok()) << call.status();
  ExpectSum((*call)(**Opened(BatchesWithSums())->Next()), 1);
}

TEST(DatasetSessionsTest, FeedsLocalSessionsAndClusters) {
  InProcessCluster cluster({{"ps", 1}, {"worker", 1}});
  GraphBuilder b;
  const FedNodes nodes = AddFedNodes(b);
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto local = NewSession(*graph);
  ASSERT_TRUE(local.ok()) << local.status();
  ExpectFeeds(**local, nodes);
  const auto remote = cluster.NewSession(*graph, {.job = "worker", .index = 0});
  ASSERT_TRUE(remote.ok()) << remote.status();
  ExpectFeeds(**remote, nodes);
}

// Returns the tasks on which a step ran a node IteratorGetNext.
Strings TasksThatTookElements(const pb::RunMetadata& metadata) {
  Strings tasks;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      if (!absl::StrContains(node.node_name(), "IteratorGetNext")) continue;
      if (absl::StrContains(node.node_name(), "_Recv")) continue;
      const auto name = DeviceName::Parse(device.device());
      if (name.ok()) tasks.push_back(TaskOf(*name).ToString());
    }
  }
  return tasks;
}

TEST(DatasetSessionsTest, IteratorsReadOnTheirTask) {
  InProcessCluster cluster({{"ps", 1}, {"worker", 2}});
  GraphBuilder b;
  std::vector<DatasetIterator> iterators;
  Outputs sums;
  for (int worker = 0; worker < 2; ++worker) {
    const Scope device = b.OnDevice(absl::StrCat("/job:worker/task:", worker));
    const auto iterator = Dataset::Range(0, 6).Shard(2, worker).AddIterator(b);
    ASSERT_TRUE(iterator.ok()) << iterator.status();
    ASSERT_EQ(iterator->next.size(), 1u);
    EXPECT_EQ(iterator->next[0].shape(), Shape{});
    sums.push_back(10 * iterator->next[0] + iterator->next[0]);
    iterators.push_back(*iterator);
  }
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto session = cluster.NewSession(*graph, {.job = "ps", .index = 0});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)
                  ->Run({.targets = {iterators[0].initializer,
                                     iterators[1].initializer}})
                  .ok());
  for (int64_t i = 0; i < 3; ++i) {
    pb::RunMetadata metadata;
    const auto out =
        (*session)->Run({.fetches = {sums[0], sums[1]},
                         .options = {.trace_level = TraceLevel::kFull}},
                        &metadata);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(TasksThatTookElements(metadata),
                UnorderedElementsAre("/job:worker/replica:0/task:0",
                                     "/job:worker/replica:0/task:1"));
    EXPECT_EQ((*out)[0].scalar<int64_t>(), 11 * (2 * i));
    EXPECT_EQ((*out)[1].scalar<int64_t>(), 11 * (2 * i + 1));
  }
  EXPECT_TRUE(
      absl::IsOutOfRange((*session)->Run({.fetches = {sums[0]}}).status()));
}

// Returns a session for the graph of `b`.
std::shared_ptr<Session> SessionOf(GraphBuilder& b) {
  const auto graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return nullptr;
  const auto session = NewTestSession(*graph, {.devices = {.num_threads = 2}});
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *session : nullptr;
}

// Runs a step for `target` with `feeds`.
void RunTarget(Session& session, const Operation& target,
               const std::vector<Feed>& feeds = {}) {
  const auto status =
      session.Run({.feeds = feeds, .targets = {target}}).status();
  EXPECT_TRUE(status.ok()) << status;
}

// Takes the next element, which must be a scalar int64.
int64_t TakeNumber(Session& session, const DatasetIterator& iterator) {
  const auto out = session.Run({.fetches = {iterator.next[0]}});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0].scalar<int64_t>() : -1;
}

// The function tells a queue which elements it has got. The test takes these
// out of the queue and ends only if they come before they are read.
TEST(DatasetSessionsTest, PrefetchWorksAhead) {
  GraphBuilder b;
  const Output queue = op::FIFOQueueV2(b, {DType::kInt64});
  const Output taken = op::QueueDequeueV2(queue, {DType::kInt64})[0];
  const auto iterator =
      Dataset::Range(0, 10)
          .Map([&](GraphBuilder& b, Outputs x) {
            const Operation tells = op::QueueEnqueueV2(queue, {x[0]});
            const Scope after = b.ControlDependencies({&tells, 1});
            return Outputs{op::Identity(x[0])};
          })
          .Prefetch(2)
          .AddIterator(b);
  ASSERT_TRUE(iterator.ok()) << iterator.status();
  const auto session = SessionOf(b);
  ASSERT_NE(session, nullptr);
  RunTarget(*session, iterator->initializer);
  EXPECT_EQ(TakeNumber(*session, *iterator), 0);
  for (int64_t i = 0; i < 3; ++i) {
    const auto out = session->Run({.fetches = {taken}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int64_t>(), i);
  }
}

TEST(DatasetSessionsTest, FunctionsUseTensorsOfTheInitializersStep) {
  GraphBuilder b;
  const Output limit = b.Placeholder<int64_t>("limit", Shape{});
  const auto iterator =
      Dataset::Range(0, 4)
          .Map([&](GraphBuilder&, Outputs x) {
            return Cond(
                op::Less(x[0], limit), [&] { return Outputs{x[0] - limit}; },
                [&] { return Outputs{10 * x[0]}; });
          })
          .AddIterator(b);
  ASSERT_TRUE(iterator.ok()) << iterator.status();
  const auto session = SessionOf(b);
  ASSERT_NE(session, nullptr);
  RunTarget(*session, iterator->initializer,
            {{limit, Tensor::Scalar<int64_t>(2)}});
  for (const int64_t expected : {-2, -1, 20, 30}) {
    EXPECT_EQ(TakeNumber(*session, *iterator), expected);
  }
}

TEST(DatasetSessionsTest, FunctionsReadVariablesForEachElement) {
  GraphBuilder b;
  const Variable w = b.Variable("w", Tensor::Scalar<int64_t>(10));
  const Output outside = w.value();
  const Operation assign =
      op::AssignVariableOp(w.handle(), b.Const(int64_t{50}));
  const auto iterator = Dataset::Range(0, 2)
                            .Map([&](GraphBuilder&, Outputs x) {
                              return Outputs{x[0] + w.value() + 100 * outside};
                            })
                            .AddIterator(b);
  ASSERT_TRUE(iterator.ok()) << iterator.status();
  const auto session = SessionOf(b);
  ASSERT_NE(session, nullptr);
  RunTarget(*session, w.initializer());
  RunTarget(*session, iterator->initializer);
  EXPECT_EQ(TakeNumber(*session, *iterator), 1010);
  RunTarget(*session, assign);
  EXPECT_EQ(TakeNumber(*session, *iterator), 1051);
}

TEST(DatasetSessionsTest, FunctionsCannotUseResourcesOfOtherDevices) {
  GraphBuilder b;
  std::optional<Variable> w;
  {
    const Scope ps = b.OnDevice("/job:ps/task:0");
    w = b.Variable("w", Tensor::Scalar<int64_t>(10));
  }
  const Scope worker = b.OnDevice("/job:worker/task:1");
  EXPECT_TRUE(Dataset::Range(0, 2)
                  .Map([outside = w->value()](GraphBuilder&, Outputs x) {
                    return Outputs{x[0] + outside};
                  })
                  .AddIterator(b)
                  .ok());
  const int line = __LINE__ + 1;
  const Dataset data = Dataset::Range(0, 2).Map(
      [&](GraphBuilder&, Outputs x) { return Outputs{x[0] + w->value()}; });
  const absl::Status status = data.AddIterator(b).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("uses the resource 'w' on '/job:ps/task:0'"),
                    HasSubstr("the dataset is on '/job:worker/task:1'"),
                    HasSubstr(absl::StrCat("dataset_test.cc:", line))));
}

TEST(DatasetSessionsTest, IteratorsReportErrorsOfTheBuilder) {
  GraphBuilder b;
  EXPECT_FALSE(Dataset::Zip({}).AddIterator(b).ok());
  ASSERT_FALSE(b.status().ok());
  EXPECT_EQ(Dataset::Range(0, 1).AddIterator(b).status(), b.status());
}

}  // namespace
}  // namespace leat::dataset_test
