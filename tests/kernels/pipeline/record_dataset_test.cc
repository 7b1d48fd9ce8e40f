// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the reading of files and named pipes by input pipelines: what waits for
// what, what ends, and how much memory it takes.
// runtime/dataset_cases_test.cc compares records with TensorFlow's.
#include "leat/kernels/pipeline/record_dataset.h"

#include <zlib.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/file_service.h"
#include "leat/core/files/output_file.h"
#include "leat/core/threads/thread.h"
#include "leat/kernels/codecs/text_lines.h"
#include "leat/kernels/codecs/tf_records.h"
#include "leat/kernels/pipeline/element_stream.h"
#include "leat/summary/records.h"
#include "leat/tests/kernels/pipeline/named_pipe.h"
#include "leat/tests/testing/awaited.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::record_dataset_test {
namespace {

using kernels::DatasetPtr;
using kernels::ElementStream;
using kernels::RecordFiles;
using ::testing::HasSubstr;

// Counts the bytes that are live, and the most that have been. May have a
// limit.
class CountingAllocator final : public Allocator {
 public:
  void SetLimit(int64_t bytes) { limit_ = bytes; }
  BufferRef Allocate(size_t bytes) override {
    return Wrap(HostAllocator().Allocate(bytes), static_cast<int64_t>(bytes));
  }
  BufferRef Reserve(int64_t bytes) override {
    return Wrap(HostAllocator().Allocate(0), bytes);
  }
  absl::string_view name() const override { return "counting"; }
  int64_t live() const { return live_; }
  int64_t most() const { return most_; }

 private:
  class Counted final : public Buffer {
   public:
    Counted(BufferRef inner, int64_t bytes, CountingAllocator& owner)
        : Buffer(inner->data(), inner->size()),
          inner_(std::move(inner)),
          bytes_(bytes),
          owner_(owner) {}

   private:
    void Dispose() override {
      owner_.live_ -= bytes_;
      delete this;
    }
    const BufferRef inner_;
    const int64_t bytes_;
    CountingAllocator& owner_;
  };

  BufferRef Wrap(BufferRef inner, int64_t bytes) {
    const int64_t live = live_ += bytes;
    if (live > limit_) {
      live_ -= bytes;
      return nullptr;
    }
    if (live > most_) most_ = live;
    return BufferRef(new Counted(std::move(inner), bytes, *this));
  }

  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> most_{0};
  std::atomic<int64_t> limit_{std::numeric_limits<int64_t>::max()};
};

// Is the device of the pipelines.
class CountingDevice final : public Device {
 public:
  CountingDevice(WorkQueue& queue, FileAccess access)
      : Device({.name = "/job:localhost/replica:0/task:0/device:CPU:0",
                .type = kCpu,
                .memory_bytes = int64_t{1} << 30,
                .incarnation = 1}),
        queue_(queue),
        files_(std::move(access)) {}
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return allocator_; }
  WorkQueue& compute_queue() override { return queue_; }
  FileService* files() override { return &files_; }
  CountingAllocator& memory() { return allocator_; }

 private:
  WorkQueue& queue_;
  CountingAllocator allocator_;
  FileService files_;
};

std::string Compressed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  EXPECT_EQ(
      compress(reinterpret_cast<Bytef*>(result.data()), &size,
               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
      Z_OK);
  result.resize(size);
  return result;
}

// Is a call of GetNext that may be cancelled.
class Call {
 public:
  explicit Call(ElementStream& stream) {
    stream.GetNext(cancellation_, [this](ElementStream::Result result) {
      result_.Set(Shown(std::move(result)));
    });
  }
  void Cancel() { cancellation_.Cancel(absl::CancelledError("enough")); }
  bool IsDone() { return result_.IsSet(); }
  // Waits for a record, an error or "end".
  std::string Take() { return result_.Take(); }

 private:
  static std::string Shown(ElementStream::Result result) {
    if (!result.ok()) return result.status().ToString();
    if (!result->has_value()) return "end";
    return (**result)[0].scalar<std::string>();
  }

  Cancellation cancellation_;
  testing::Awaited<std::string> result_;
};

class RecordDatasetTest : public ::testing::Test {
 protected:
  RecordDatasetTest() {
    EXPECT_TRUE(access_.AddRoot(folder_.Path(""), false).ok());
    device_ = std::make_unique<CountingDevice>(*queue_, access_);
  }
  ~RecordDatasetTest() override {
    background_.Wait();
    // What the last reading holds ends with its thread.
    CountingAllocator& memory = device_->memory();
    while (memory.live() > 0) std::this_thread::yield();
  }

  std::string Path(const std::string& name) const { return folder_.Path(name); }
  void Write(const std::string& name, const std::string& bytes) const {
    ASSERT_EQ(WriteFile(Path(name), bytes), absl::OkStatus());
  }

  RecordFiles Files(const std::vector<std::string>& names) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(Path(name));
    const Shape shape{static_cast<int64_t>(paths.size())};
    return {.paths = Tensor::FromSpan<std::string>(shape, paths)};
  }
  RecordFiles TextFiles(const std::vector<std::string>& names) const {
    RecordFiles files = Files(names);
    files.new_format = kernels::PathFormat<TextLines>();
    files.after_error = kernels::AfterReadError::kNothing;
    return files;
  }
  RecordFiles TfRecordFiles(const std::vector<std::string>& names) const {
    RecordFiles files = Files(names);
    files.new_format = [](const std::string& path, int64_t offset,
                          Allocator& allocator) {
      return std::make_unique<TfRecords>(path, offset, allocator);
    };
    return files;
  }
  std::shared_ptr<ElementStream> Open(RecordFiles files) {
    auto stream =
        ElementStream::Create(kernels::NewRecordDataset(std::move(files)),
                              {.device = device_.get(),
                               .resources = &harness_.resources(),
                               .background = &background_},
                              0);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return *std::move(stream);
  }
  static std::string Next(ElementStream& stream) { return Call(stream).Take(); }

  const TemporaryFolder folder_;
  FileAccess access_;
  testing::KernelTestHarness harness_;
  const std::unique_ptr<WorkQueue> queue_ = NewThreadPool("compute", 2);
  BackgroundWork background_;
  std::unique_ptr<CountingDevice> device_;
};

// Chunks have 4 KiB, so their borders lie everywhere in the records.
TEST_F(RecordDatasetTest, ReadsRecordsOverTheBordersOfChunks) {
  std::vector<std::string> records;
  std::string bytes;
  for (int i = 0; i < 400; ++i) {
    records.push_back(
        std::string((i * 37) % 300, static_cast<char>('a' + i % 26)));
    AppendRecord(records.back(), bytes);
  }
  records.push_back(std::string(100'000, 'L'));
  AppendRecord(records.back(), bytes);
  Write("plain", bytes);
  Write("zlib", Compressed(bytes));
  for (const bool is_compressed : {false, true}) {
    SCOPED_TRACE(is_compressed);
    RecordFiles files = TfRecordFiles({is_compressed ? "zlib" : "plain"});
    if (is_compressed) files.compression = Compression::kZlib;
    files.buffer_bytes = 1;
    const auto stream = Open(std::move(files));
    for (const std::string& record : records) ASSERT_EQ(Next(*stream), record);
    EXPECT_EQ(Next(*stream), "end");
    EXPECT_EQ(Next(*stream), "end");
  }
}

TEST_F(RecordDatasetTest, ASilentPipeStopsNothingElse) {
  // There are more pipes than threads for files.
  std::vector<testing::NamedPipe> pipes;
  std::vector<std::shared_ptr<ElementStream>> silent;
  std::vector<std::unique_ptr<Call>> waiting;
  for (int i = 0; i < 10; ++i) {
    pipes.emplace_back(Path(absl::StrCat("pipe", i)));
    silent.push_back(Open(TextFiles({absl::StrCat("pipe", i)})));
    waiting.push_back(std::make_unique<Call>(*silent.back()));
  }
  pipes[3].Open();
  Write("file", "a\nb");
  const auto stream = Open(TextFiles({"file"}));
  EXPECT_EQ(Next(*stream), "a");
  EXPECT_EQ(Next(*stream), "b");
  EXPECT_EQ(Next(*stream), "end");
  for (const auto& call : waiting) {
    EXPECT_FALSE(call->IsDone());
    call->Cancel();
    EXPECT_THAT(call->Take(), HasSubstr("enough"));
  }
}

TEST_F(RecordDatasetTest, APipeGivesRecordsAsTheyCome) {
  testing::NamedPipe pipe(Path("pipe"));
  Write("file", "behind");
  const auto stream = Open(TextFiles({"pipe", "file"}));
  Call first(*stream);
  pipe.Open();
  EXPECT_FALSE(first.IsDone());
  pipe.Put("one\ntw");
  EXPECT_EQ(first.Take(), "one");
  Call second(*stream);
  pipe.Put("o\n");
  EXPECT_EQ(second.Take(), "two");
  Call third(*stream);
  pipe.Put("rest");
  pipe.Close();
  EXPECT_EQ(third.Take(), "rest");
  EXPECT_EQ(Next(*stream), "behind");
  EXPECT_EQ(Next(*stream), "end");
}

TEST_F(RecordDatasetTest, ACompressedPipeGivesRecordsAsTheyCome) {
  testing::NamedPipe pipe(Path("pipe"));
  RecordFiles files = TextFiles({"pipe"});
  files.compression = Compression::kZlib;
  const auto stream = Open(std::move(files));
  Call first(*stream);
  pipe.Open();
  // Less than a chunk of a pipe is given out when the pipe is empty.
  const std::string bytes = Compressed("one\n" + std::string(200'000, 'x'));
  pipe.Put(bytes.substr(0, bytes.size() - 10));
  EXPECT_EQ(first.Take(), "one");
  Call second(*stream);
  pipe.Put(bytes.substr(bytes.size() - 10));
  pipe.Close();
  EXPECT_EQ(second.Take(), std::string(200'000, 'x'));
  EXPECT_EQ(Next(*stream), "end");
}

TEST_F(RecordDatasetTest, AWaitThatIsCancelledLosesNoRecord) {
  testing::NamedPipe pipe(Path("pipe"));
  const auto stream = Open(TextFiles({"pipe"}));
  {
    Call cancelled(*stream);
    cancelled.Cancel();
    EXPECT_THAT(cancelled.Take(), HasSubstr("enough"));
  }
  pipe.Open();
  for (int i = 0; i < 50; ++i) {
    Call cancelled(*stream);
    Thread canceller("canceller", [&] { cancelled.Cancel(); });
    pipe.Put(absl::StrCat(i, "\n"));
    canceller.Join();
    const std::string line = cancelled.Take();
    if (line == absl::StrCat(i)) continue;
    EXPECT_THAT(line, HasSubstr("enough"));
    EXPECT_EQ(Next(*stream), absl::StrCat(i));
  }
}

TEST_F(RecordDatasetTest, StreamsMayEndWhileTheyRead) {
  const testing::NamedPipe pipe(Path("pipe"));
  Write("file", std::string(1 << 20, 'x'));
  for (int i = 0; i < 50; ++i) {
    const auto stream = Open(TextFiles({i % 2 == 0 ? "pipe" : "file"}));
    Call call(*stream);
    if (i % 3 == 0) call.Cancel();
    stream->Close();
    call.Take();
  }
  // The test ends only if no pipeline and no memory is left.
}

TEST_F(RecordDatasetTest, FilesThatCannotBeOpenedAreTriedAgain) {
  Write("first", "a");
  const auto stream = Open(TextFiles({"first", "missing", "first"}));
  EXPECT_EQ(Next(*stream), "a");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Next(*stream), HasSubstr("NOT_FOUND: file '"));
  }
  Write("missing", "b");
  EXPECT_EQ(Next(*stream), "b");
  EXPECT_EQ(Next(*stream), "a");
  EXPECT_EQ(Next(*stream), "end");
}

TEST_F(RecordDatasetTest, OnlyFilesAndPipesBelowARootAreRead) {
  std::filesystem::create_symlink("/etc/passwd", Path("link"));
  EXPECT_THAT(Next(*Open(TextFiles({"link"}))), HasSubstr("PERMISSION_DENIED"));
  EXPECT_THAT(Next(*Open(TextFiles({"../x"}))), HasSubstr("PERMISSION_DENIED"));
  EXPECT_THAT(Next(*Open(TextFiles({""}))),
              HasSubstr("is not a regular file but a folder"));
  // The device of the harness may read everything.
  auto stream = ElementStream::Create(
      kernels::NewRecordDataset([this] {
        RecordFiles files = TextFiles({});
        files.paths = Tensor::Scalar<std::string>("/dev/zero");
        return files;
      }()),
      {.device = &harness_.device(),
       .resources = &harness_.resources(),
       .background = &background_},
      0);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_THAT(Next(**stream), HasSubstr("is not a regular file but a device"));
}

TEST_F(RecordDatasetTest, AfterADamagedRecordComesTheNextFile) {
  std::string bytes;
  for (const char* const record : {"one", "two", "three"}) {
    AppendRecord(record, bytes);
  }
  Write("good", bytes);
  bytes[30] ^= 1;
  Write("bad", bytes);
  const auto stream = Open(TfRecordFiles({"bad", "good"}));
  EXPECT_EQ(Next(*stream), "one");
  EXPECT_THAT(Next(*stream),
              HasSubstr(absl::StrCat("DATA_LOSS: file '", Path("bad"),
                                     "': corrupted record at 19")));
  EXPECT_EQ(Next(*stream), "one");
}

// Without memory for a record of several chunks, the record is lost. What is
// left of it must not seem to be a record, and the next file not the rest of
// this one.
TEST_F(RecordDatasetTest, NothingFollowsARecordThatHadNoMemory) {
  const std::string large(10'000, 'x');
  std::string records;
  for (const std::string& record : {std::string("first"), large}) {
    AppendRecord(record, records);
  }
  Write("records", records);
  Write("text", absl::StrCat("first\n", large, "\nlast\n"));
  for (const bool is_text : {false, true}) {
    RecordFiles files = is_text ? TextFiles({"text", "text"})
                                : TfRecordFiles({"records", "records"});
    files.buffer_bytes = 1;
    const auto stream = Open(std::move(files));
    EXPECT_EQ(Next(*stream), "first");
    device_->memory().SetLimit(8'000);
    const std::string error = Next(*stream);
    EXPECT_THAT(error, HasSubstr("RESOURCE_EXHAUSTED"));
    device_->memory().SetLimit(int64_t{1} << 40);
    EXPECT_EQ(Next(*stream), error);
  }
}

TEST_F(RecordDatasetTest, DamagedBytesOfACompressedTextAreNamed) {
  std::string bytes = Compressed("a\nb\n");
  bytes.back() ^= 1;
  Write("bad", bytes);
  RecordFiles files = TextFiles({"bad"});
  files.compression = Compression::kZlib;
  const auto stream = Open(std::move(files));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(
        Next(*stream),
        HasSubstr(absl::StrCat("DATA_LOSS: file '", Path("bad"),
                               "': inflate() failed with error -3: incorrect "
                               "data check, at byte ",
                               bytes.size())));
  }
}

// A pipe need not be closed: nothing in it counts any more.
TEST_F(RecordDatasetTest, WhatFollowsAZlibTextIsIgnored) {
  const std::string bytes = Compressed("a\nb\n") + "and more";
  Write("file", bytes);
  testing::NamedPipe pipe(Path("pipe"));
  pipe.Open();
  pipe.Put(bytes);
  for (const char* const name : {"file", "pipe"}) {
    RecordFiles files = TextFiles({name});
    files.compression = Compression::kZlib;
    const auto stream = Open(std::move(files));
    EXPECT_EQ(Next(*stream), "a");
    EXPECT_EQ(Next(*stream), "b");
    EXPECT_EQ(Next(*stream), "end");
  }
}

// A few bytes that stand for a thousand times as many take the memory of a few
// chunks.
TEST_F(RecordDatasetTest, WhatIsDecompressedIsBoundedByWhatIsTaken) {
  Write("bomb", Compressed("first\n" + std::string(16 << 20, '\n')));
  RecordFiles files = TextFiles({"bomb"});
  files.compression = Compression::kZlib;
  const auto stream = Open(std::move(files));
  EXPECT_EQ(Next(*stream), "first");
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(Next(*stream), "");
  EXPECT_LT(device_->memory().most(), 1 << 20);
}

TEST_F(RecordDatasetTest, SmallFilesTakeLittleMemory) {
  Write("small", "a\nb\n");
  const auto stream = Open(TextFiles({"small"}));
  EXPECT_EQ(Next(*stream), "a");
  EXPECT_LT(device_->memory().most(), 1000);
}

TEST_F(RecordDatasetTest, OffsetsCountDecompressedBytes) {
  std::string bytes;
  for (const char* const record : {"one", "two"}) AppendRecord(record, bytes);
  Write("plain", bytes);
  Write("zlib", Compressed(bytes));
  const auto size = static_cast<int64_t>(bytes.size());
  for (const bool is_compressed : {false, true}) {
    const std::string name = is_compressed ? "zlib" : "plain";
    RecordFiles files = TfRecordFiles({name, name, name, name});
    if (is_compressed) files.compression = Compression::kZlib;
    files.offsets = {size / 2, size, int64_t{1} << 62, -1};
    const auto stream = Open(std::move(files));
    EXPECT_EQ(Next(*stream), "two");
    EXPECT_THAT(Next(*stream),
                HasSubstr("Can't skip a negative number of bytes"));
    EXPECT_EQ(Next(*stream), "end");
  }
}

}  // namespace
}  // namespace leat::record_dataset_test
