// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests readers: calls that wait, that are cancelled and that come at the same
// time. sync_cases_test.cc compares the records with TensorFlow's.
#include "leat/kernels/readers/reader.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/kernels/codecs/hopping_records.h"
#include "leat/kernels/codecs/text_lines.h"
#include "leat/kernels/readers/file_work.h"
#include "leat/summary/records.h"
#include "leat/tests/kernels/pipeline/named_pipe.h"
#include "leat/tests/testing/awaited.h"
#include "leat/tests/testing/busy_threads.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/failing_allocations.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::reader_test {
namespace {

using kernels::FileWorkOptions;
using kernels::KeyedRecord;
using kernels::Progress;
using kernels::Queue;
using kernels::QueueElement;
using kernels::Reader;
using kernels::RecordKey;
using kernels::StageContext;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Is a call of Read that may be cancelled.
class Call {
 public:
  Call(const std::shared_ptr<Reader>& reader, std::shared_ptr<Queue> queue,
       int64_t most = 1) {
    reader->Read(std::move(queue), most, cancellation_,
                 [this, keep = reader](Reader::Result result) mutable {
                   keep.reset();
                   result_.Set(Shown(result));
                 });
  }
  void Cancel() { cancellation_.Cancel(absl::CancelledError("enough")); }
  // Waits for the records, or for an error.
  std::vector<std::string> Take() { return result_.Take(); }

 private:
  static std::vector<std::string> Shown(const Reader::Result& result) {
    if (!result.ok()) return {result.status().ToString()};
    std::vector<std::string> values;
    for (const KeyedRecord& record : *result) {
      values.push_back(record.value.scalar<std::string>());
    }
    return values;
  }

  Cancellation cancellation_;
  testing::Awaited<std::vector<std::string>> result_;
};

// Is the work unit of a file. Calls `saw` with what each call of Next has done.
class SeenWork final : public kernels::WorkUnit {
 public:
  using Saw = std::function<void(Progress)>;

  SeenWork(std::unique_ptr<WorkUnit> work, Saw saw)
      : work_(std::move(work)), saw_(std::move(saw)) {}

  absl::StatusOr<Progress> Next(KeyedRecord& record) override {
    absl::StatusOr<Progress> progress = work_->Next(record);
    if (progress.ok() && saw_ != nullptr) saw_(*progress);
    return progress;
  }
  bool CouldBegin() const override { return work_->CouldBegin(); }

 private:
  const std::unique_ptr<WorkUnit> work_;
  const Saw saw_;
};

class ReaderTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name)) << bytes;
  }

  std::shared_ptr<Reader> Open(FileWorkOptions options,
                               SeenWork::Saw saw = {}) {
    auto reader = Reader::Create(
        {.name = "reader",
         .new_work =
             [options = std::move(options), saw = std::move(saw)](
                 const Tensor& path, const StageContext& context) {
               return std::make_unique<SeenWork>(
                   NewFileWork(path, options, context), saw);
             }},
        *harness_.services().session, /*call_depth=*/0);
    EXPECT_TRUE(reader.ok()) << reader.status();
    return *std::move(reader);
  }
  std::shared_ptr<Reader> OpenText(SeenWork::Saw saw = {}) {
    return Open({.new_format = kernels::PathFormat<TextLines>(),
                 .key = RecordKey::kPathAndLine},
                std::move(saw));
  }
  static std::shared_ptr<Queue> NewQueue() {
    return std::make_shared<Queue>(kernels::QueueOptions{
        .name = "q", .dtypes = {DType::kString}, .shapes = {Shape{}}});
  }
  // Starts a read on a thread of the pool. So the read waits for a name when
  // this returns.
  std::unique_ptr<Call> StartWaiting() {
    testing::Awaited<std::unique_ptr<Call>> call;
    harness_.device().compute_queue().Add(
        [&] { call.Set(std::make_unique<Call>(reader_, queue_)); });
    return call.Take();
  }
  // Returns a record that Read has returned.
  static Reader::Records FromUnit(int64_t unit, const std::string& value) {
    Reader::Records records(1);
    records[0].unit = unit;
    records[0].value = Tensor::Scalar<std::string>(value);
    return records;
  }
  bool ReadsWithoutMemory(int64_t n, int64_t most);
  void PutName(Queue& queue, const std::string& name) {
    Queue::Elements elements;
    elements.push_back(QueueElement{Tensor::Scalar<std::string>(Path(name))});
    queue.Enqueue(std::move(elements), cancellation_,
                  [](absl::StatusOr<Queue::Elements> result) {
                    EXPECT_TRUE(result.ok()) << result.status();
                  });
  }

  const TemporaryFolder folder_;
  testing::KernelTestHarness harness_;
  Cancellation cancellation_;
  const std::shared_ptr<Queue> queue_ = NewQueue();
  std::shared_ptr<Reader> reader_ = OpenText();
  // Counts the calls of ReadsWithoutMemory that got all lines though an
  // allocation has failed.
  int whole_reads_ = 0;
};

TEST_F(ReaderTest, ReadsAtTheSameTimeTakeTurns) {
  constexpr int kThreads = 4, kReads = 250;
  std::multiset<std::string> written;
  for (int file = 0; file < 10; ++file) {
    std::string lines;
    for (int i = 0; i < kThreads * kReads / 10; ++i) {
      const std::string line = absl::StrCat("file ", file, ", line ", i);
      absl::StrAppend(&lines, line, "\n");
      written.insert(line);
    }
    Write(absl::StrCat(file), lines);
    PutName(*queue_, absl::StrCat(file));
  }
  std::vector<std::vector<std::string>> read(kThreads);
  {
    std::vector<Thread> threads;
    for (auto& lines : read) {
      threads.emplace_back("read", [&] {
        for (int i = 0; i < kReads; ++i) {
          for (std::string& line : Call(reader_, queue_).Take()) {
            lines.push_back(std::move(line));
          }
        }
      });
    }
  }
  std::multiset<std::string> all;
  for (const auto& lines : read) all.insert(lines.begin(), lines.end());
  EXPECT_EQ(all, written);
  EXPECT_EQ(reader_->num_records(), kThreads * kReads);
}

TEST_F(ReaderTest, ACancelledReadLeavesTheNamesInTheQueue) {
  const std::unique_ptr<Call> cancelled = StartWaiting();
  cancelled->Cancel();
  EXPECT_THAT(cancelled->Take(), ElementsAre("CANCELLED: enough"));
  Write("file", "a\n");
  PutName(*queue_, "file");
  EXPECT_EQ(queue_->size(), 1);
  Write("another file", "b\n");
  const auto another = NewQueue();
  PutName(*another, "another file");
  EXPECT_THAT(Call(reader_, another).Take(), ElementsAre("b"));
  EXPECT_THAT(Call(reader_, queue_).Take(), ElementsAre("a"));
}

TEST_F(ReaderTest, ACancelledReadLosesNoRecord) {
  testing::NamedPipe pipe(Path("pipe"));
  pipe.Open();
  pipe.Put("a\nb\n");
  PutName(*queue_, "pipe");
  testing::Event has_read;
  reader_ = OpenText([&, count = 0](Progress progress) mutable {
    count += progress == Progress::kElement ? 1 : 0;
    if (count == 2) has_read.Set();
  });
  Call cancelled(reader_, queue_, 3);
  ASSERT_TRUE(has_read.Wait());
  cancelled.Cancel();
  EXPECT_THAT(cancelled.Take(), ElementsAre("CANCELLED: enough"));
  EXPECT_THAT(Call(reader_, queue_).Take(), ElementsAre("a"));
  EXPECT_THAT(Call(reader_, queue_).Take(), ElementsAre("b"));
  EXPECT_EQ(reader_->num_records(), 2);
}

TEST_F(ReaderTest, ASilentPipeIsLeftByAReset) {
  testing::NamedPipe pipe(Path("pipe"));
  pipe.Open();
  pipe.Put("a\n");
  PutName(*queue_, "pipe");
  testing::Event waits;
  reader_ = OpenText([&, is_read = false](Progress progress) mutable {
    is_read = is_read || progress == Progress::kElement;
    if (is_read && progress == Progress::kWaiting) waits.Set();
  });
  EXPECT_THAT(Call(reader_, queue_).Take(), ElementsAre("a"));
  Call waiting(reader_, queue_);
  ASSERT_TRUE(waits.Wait());
  reader_->Reset();
  Write("file", "b\n");
  PutName(*queue_, "file");
  EXPECT_THAT(waiting.Take(), ElementsAre("b"));
  EXPECT_EQ(reader_->num_records(), 1);
}

TEST_F(ReaderTest, RecordsThatComeBackAreGivenOutAgain) {
  Write("file", "a\nb\n");
  PutName(*queue_, "file");
  EXPECT_THAT(Call(reader_, queue_).Take(), ElementsAre("a"));
  reader_->Return(FromUnit(1, "a"));
  EXPECT_EQ(reader_->num_records(), 0);
  EXPECT_THAT(Call(reader_, queue_, 5).Take(), ElementsAre("a", "b"));
}

TEST_F(ReaderTest, ARecordThatComesBackStaysApartFromThoseOfTheNextFile) {
  Write("file", "a\n");
  Write("next", "b\nc\n");
  PutName(*queue_, "file");
  PutName(*queue_, "next");
  EXPECT_THAT(Call(reader_, queue_).Take(), ElementsAre("a"));
  EXPECT_THAT(Call(reader_, queue_).Take(), ElementsAre("b"));
  reader_->Return(FromUnit(2, "b"));
  reader_->Return(FromUnit(1, "a"));
  EXPECT_THAT(Call(reader_, queue_, 5).Take(), ElementsAre("a"));
  EXPECT_THAT(Call(reader_, queue_, 5).Take(), ElementsAre("b", "c"));
}

// The name has come, but no thread has worked with it yet.
TEST_F(ReaderTest, ACancelledReadPutsItsNameBack) {
  const std::unique_ptr<Call> cancelled = StartWaiting();
  testing::BusyThreads busy(harness_.device().compute_queue());
  PutName(*queue_, "file");
  EXPECT_EQ(queue_->size(), 0);
  cancelled->Cancel();
  EXPECT_THAT(cancelled->Take(), ElementsAre("CANCELLED: enough"));
  EXPECT_EQ(queue_->size(), 1);
  busy.End();
}

// The type of a queue matters only when an element has been taken from it, as
// in TensorFlow.
TEST_F(ReaderTest, AnOpenFileNeedsNoQueue) {
  Write("file", "a\nb\n");
  PutName(*queue_, "file");
  const auto numbers = std::make_shared<Queue>(
      kernels::QueueOptions{.name = "n", .dtypes = {DType::kInt32}});
  Queue::Elements number;
  number.push_back(QueueElement{Tensor::Scalar<int32_t>(1)});
  numbers->Enqueue(std::move(number), cancellation_, [](auto) {});
  EXPECT_THAT(Call(reader_, queue_).Take(), ElementsAre("a"));
  EXPECT_THAT(Call(reader_, numbers).Take(), ElementsAre("b"));
  EXPECT_EQ(numbers->size(), 1);
  EXPECT_THAT(Call(reader_, numbers).Take(),
              ElementsAre("INVALID_ARGUMENT: Expected queue with single string "
                          "component"));
  EXPECT_EQ(numbers->size(), 0);
}

// A file can have endlessly many records without bytes.
TEST_F(ReaderTest, AReadWithoutEndCanBeCancelled) {
  Write("file", "a");
  PutName(*queue_, "file");
  testing::Event has_read;
  reader_ =
      Open({.new_format =
                [](const std::string& path, int64_t, Allocator& allocator) {
                  return std::make_unique<HoppingRecords>(
                      path, FixedLengths{.record = 0}, 0, allocator);
                },
            .key = RecordKey::kPathAndIndex},
           [&](Progress progress) {
             if (progress == Progress::kElement) has_read.Set();
           });
  Call endless(reader_, queue_, int64_t{1} << 62);
  ASSERT_TRUE(has_read.Wait());
  endless.Cancel();
  EXPECT_THAT(endless.Take(), ElementsAre("CANCELLED: enough"));
  EXPECT_THAT(Call(reader_, queue_, 2).Take(), ElementsAre("", ""));
}

// Reads three lines, up to `most` at once, while allocation number `n` fails.
// Returns false if there were fewer allocations.
bool ReaderTest::ReadsWithoutMemory(int64_t n, int64_t most) {
  SCOPED_TRACE(n);
  const std::vector<std::string> written = {"a", "b", "c"};
  const std::shared_ptr<Reader> reader = OpenText();
  const std::shared_ptr<Queue> queue = NewQueue();
  PutName(*queue, "file");
  queue->Close(/*cancel_pending_enqueues=*/false, cancellation_, [](auto) {});
  testing::FailingAllocations failing(n, testing::NthFailure::kOnlyOne);
  std::vector<std::string> read;
  // If there is no memory for a part of the file, the error stays.
  for (int errors = 0; read.size() < written.size() && errors < 2;) {
    const std::vector<std::string> lines = Call(reader, queue, most).Take();
    if (absl::StartsWith(lines[0], "RESOURCE_EXHAUSTED")) {
      ++errors;
    } else {
      read.insert(read.end(), lines.begin(), lines.end());
    }
  }
  const bool has_failed = failing.Stop() > 0;
  const auto count =
      static_cast<std::ptrdiff_t>(std::min(read.size(), written.size()));
  EXPECT_EQ(read,
            std::vector<std::string>(written.begin(), written.begin() + count));
  if (!has_failed) {
    EXPECT_EQ(read, written);
  }
  if (has_failed && read == written) ++whole_reads_;
  return has_failed;
}

TEST_F(ReaderTest, ALackOfMemoryLeavesNoRecordOut) {
  Write("file", "a\nb\nc\n");
  for (const int64_t most : {1, 3}) {
    SCOPED_TRACE(most);
    whole_reads_ = 0;
    for (int64_t n = 1; ReadsWithoutMemory(n, most); ++n) {
    }
    EXPECT_GE(whole_reads_, 6);  // a key and a value of each line
  }
}

// These inputs make TensorFlow end its process.
TEST(ReaderOpsTest, HandlesAndNumbersOfRecordsAreChecked) {
  testing::KernelTestHarness harness;
  const absl::StatusOr<Tensor> reader = harness.RunOne(
      "IdentityReaderV2", {{"shared_name", std::string("reader")}}, {});
  ASSERT_TRUE(reader.ok()) << reader.status();
  const absl::StatusOr<Tensor> queue =
      harness.RunOne("FIFOQueueV2",
                     {{"component_types", std::vector<DType>{DType::kString}},
                      {"shared_name", std::string("queue")}},
                     {});
  ASSERT_TRUE(queue.ok()) << queue.status();
  for (const Tensor& count :
       {Tensor::Scalar<int64_t>(-1), Tensor::Vector<int64_t>({}),
        Tensor::Vector<int64_t>({1, 2})}) {
    const auto records =
        harness.Run("ReaderReadUpToV2", {}, {*reader, *queue, count});
    EXPECT_TRUE(absl::IsInvalidArgument(records.status())) << records.status();
  }
  for (const auto& handles :
       {std::vector<Tensor>{*reader, *reader}, {*queue, *queue}}) {
    const auto record = harness.Run("ReaderReadV2", {}, handles);
    EXPECT_TRUE(absl::IsInvalidArgument(record.status())) << record.status();
  }
}

TEST(ReaderOpsTest, ErrorsShowNoLongState) {
  testing::KernelTestHarness harness;
  const absl::StatusOr<Tensor> reader = harness.RunOne(
      "IdentityReaderV2", {{"shared_name", std::string("reader")}}, {});
  ASSERT_TRUE(reader.ok()) << reader.status();
  const std::string length = "\x80\x80\x40";
  const std::string text(1 << 20, '\xff');
  // Has begun to work on a string. Field 5 is not known.
  const std::string state =
      "\x08\x01\x22" + length + text + "\x2a" + length + text;
  for (const auto& [bytes, error] :
       {std::pair(text, "Could not parse state"),
        std::pair(state, "Inconsistent work started")}) {
    const auto restored =
        harness.Run("ReaderRestoreStateV2", {},
                    {*reader, Tensor::Scalar<std::string>(bytes)});
    EXPECT_TRUE(absl::IsInvalidArgument(restored.status()));
    EXPECT_THAT(restored.status().message(), HasSubstr(error));
    EXPECT_LT(restored.status().message().size(), 5000);
  }
}

// Runs a kernel whose handles are references.
std::vector<Value> RunOld(testing::KernelTestHarness& harness,
                          absl::string_view op, const AttrMap& attrs,
                          std::vector<Value> inputs) {
  std::vector<DType> types;
  for (const Value& input : inputs) {
    types.push_back(input.ref != nullptr ? RefOf(DType::kString)
                                         : input.tensor.dtype());
  }
  const auto kernel = harness.Make(op, attrs, types);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  if (!kernel.ok()) return {};
  const auto outputs = harness.Run(*kernel, std::move(inputs));
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return outputs.value_or(std::vector<Value>());
}

// TensorFlow makes these ops only for graphs of its oldest versions.
TEST(ReaderOpsTest, OldReadersAreReferences) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("file");
  std::string tf_record;
  AppendRecord("a record", tf_record);
  struct Case {
    std::string op;
    AttrMap attrs;
    std::string file;
    std::string key;
    std::string value;
  };
  for (const Case& c :
       {Case{"TextLineReader", {}, "a line\n", path + ":1", "a line"},
        Case{"TFRecordReader", {}, tf_record, path + ":0", "a record"},
        Case{"FixedLengthRecordReader",
             {{"record_bytes", int64_t{2}}},
             "two",
             path + ":0",
             "tw"},
        Case{"IdentityReader", {}, "", path, path}}) {
    SCOPED_TRACE(c.op);
    std::ofstream(path) << c.file;
    testing::KernelTestHarness harness;
    AttrMap attrs = c.attrs;
    attrs.Set("shared_name", std::string("shared"));
    const auto reader = RunOld(harness, c.op, attrs, {});
    const auto queue =
        RunOld(harness, "FIFOQueue",
               {{"component_types", std::vector<DType>{DType::kString}},
                {"shared_name", std::string("shared")}},
               {});
    ASSERT_EQ(reader.size() + queue.size(), 2);
    RunOld(harness, "QueueEnqueue", {},
           {queue[0], testing::TensorValue(Tensor::Scalar<std::string>(path))});
    const auto record =
        RunOld(harness, "ReaderRead", {}, {reader[0], queue[0]});
    ASSERT_EQ(record.size(), 2);
    EXPECT_EQ(record[0].tensor.scalar<std::string>(), c.key);
    EXPECT_EQ(record[1].tensor.scalar<std::string>(), c.value);
  }
}

}  // namespace
}  // namespace leat::reader_test
