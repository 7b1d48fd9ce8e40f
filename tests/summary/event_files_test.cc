// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests writing and reading of event files, and what readers say about files
// that are cut off, changed or made to deceive. tests/interop/summaries.py
// checks that TensorFlow reads such files.
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/crc32c.h"
#include "leat/core/files/file_access.h"
#include "leat/core/files/output_file.h"
#include "leat/summary/event_reader.h"
#include "leat/summary/event_writer.h"
#include "leat/summary/record_reader.h"
#include "leat/summary/records.h"
#include "leat/summary/values.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::event_files_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string Record(absl::string_view bytes) {
  std::string record;
  AppendRecord(bytes, record);
  return record;
}

class EventFilesTest : public ::testing::Test {
 protected:
  std::unique_ptr<EventWriter> Writer(EventWriterOptions options = {}) const {
    auto writer = EventWriter::Create(files_, folder_.Path("logs/run"),
                                      std::move(options));
    EXPECT_TRUE(writer.ok()) << writer.status();
    return *std::move(writer);
  }

  // Writes an event of this step with a number.
  static absl::Status WriteNumber(EventWriter& writer, int64_t step) {
    pb::Event event = NewEvent(step);
    AddScalar("x", Tensor::Scalar<float>(1), 0, *event.mutable_summary());
    return writer.Write(event);
  }

  // Returns the steps of the events in a file. Leaves out the first event,
  // which holds the version.
  static std::vector<int64_t> StepsIn(const std::string& path) {
    std::vector<int64_t> steps;
    auto reader = EventReader::Open(path);
    EXPECT_TRUE(reader.ok()) << reader.status();
    pb::Event event;
    while (reader->has_next()) {
      const absl::Status status = reader->Read(event);
      EXPECT_TRUE(status.ok()) << status;
      if (!status.ok()) break;
      steps.push_back(event.step());
    }
    EXPECT_FALSE(steps.empty());
    if (!steps.empty()) steps.erase(steps.begin());
    return steps;
  }

  // Returns the error of the first record that cannot be read, or OK.
  absl::Status ErrorOf(absl::string_view bytes) const {
    const std::string path = folder_.Path("damaged");
    EXPECT_TRUE(WriteFile(path, bytes).ok());
    auto reader = RecordReader::Open(path);
    EXPECT_TRUE(reader.ok()) << reader.status();
    std::string record;
    while (reader->has_next()) {
      const absl::Status status = reader->Read(record);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  const FileAccess files_ = FileAccess::Unrestricted();
  TemporaryFolder folder_;
};

TEST_F(EventFilesTest, AFileHasTensorFlowsNameAndBeginsWithItsVersion) {
  const auto writer = Writer({.suffix = "test"});
  EXPECT_THAT(std::filesystem::path(writer->path()).filename().string(),
              MatchesRegex("events\\.out\\.tfevents\\.[0-9]{10}\\..*\\."
                           "[0-9]+\\.[0-9]+\\.test"));
  auto reader = EventReader::Open(writer->path());
  ASSERT_TRUE(reader.ok()) << reader.status();
  pb::Event event;
  ASSERT_TRUE(reader->Read(event).ok());
  EXPECT_EQ(event.file_version(), "brain.Event:2");
  EXPECT_GT(event.wall_time(), 1e9);
  EXPECT_FALSE(reader->has_next());
}

TEST_F(EventFilesTest, ASuffixHasOneDot) {
  EXPECT_THAT(Writer({.suffix = ".v2"})->path(), MatchesRegex(".*[0-9]\\.v2"));
  EXPECT_THAT(Writer()->path(), MatchesRegex(".*\\.[0-9]+"));
}

TEST_F(EventFilesTest, EventsWaitForAFlush) {
  const auto writer = Writer({.max_queue = 2});
  ASSERT_TRUE(WriteNumber(*writer, 1).ok());
  ASSERT_TRUE(WriteNumber(*writer, 2).ok());
  EXPECT_THAT(StepsIn(writer->path()), ElementsAre());
  ASSERT_TRUE(WriteNumber(*writer, 3).ok());
  EXPECT_THAT(StepsIn(writer->path()), ElementsAre(1, 2, 3));
  ASSERT_TRUE(WriteNumber(*writer, 4).ok());
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_THAT(StepsIn(writer->path()), ElementsAre(1, 2, 3, 4));
}

TEST_F(EventFilesTest, AFlushThatIsDueComesWithTheNextEvent) {
  const auto writer = Writer({.flush_every = std::chrono::milliseconds(-1)});
  ASSERT_TRUE(WriteNumber(*writer, 1).ok());
  EXPECT_THAT(StepsIn(writer->path()), ElementsAre(1));
}

TEST_F(EventFilesTest, ManyBytesDoNotWait) {
  const auto writer = Writer({.max_queue = INT32_MAX});
  pb::Event event = NewEvent(1);
  event.set_graph_def(std::string(size_t{2} << 20, 'x'));
  ASSERT_TRUE(writer->Write(event).ok());
  EXPECT_THAT(StepsIn(writer->path()), ElementsAre(1));
}

TEST_F(EventFilesTest, TheDestructorFlushes) {
  auto writer = Writer();
  const std::string path = writer->path();
  ASSERT_TRUE(WriteNumber(*writer, 1).ok());
  writer.reset();
  EXPECT_THAT(StepsIn(path), ElementsAre(1));
}

TEST_F(EventFilesTest, NothingIsWrittenAfterClose) {
  const auto writer = Writer();
  ASSERT_TRUE(WriteNumber(*writer, 1).ok());
  ASSERT_TRUE(writer->Close().ok());
  ASSERT_TRUE(writer->Close().ok());
  ASSERT_TRUE(writer->Flush().ok());
  const absl::Status status = WriteNumber(*writer, 2);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr(writer->path()));
  EXPECT_THAT(StepsIn(writer->path()), ElementsAre(1));
}

TEST_F(EventFilesTest, WritersOfOneFolderHaveTheirOwnFiles) {
  const auto a = Writer();
  const auto b = Writer();
  ASSERT_TRUE(WriteNumber(*a, 1).ok());
  ASSERT_TRUE(WriteNumber(*b, 2).ok());
  ASSERT_TRUE(a->Close().ok());
  ASSERT_TRUE(b->Close().ok());
  EXPECT_THAT(StepsIn(a->path()), ElementsAre(1));
  EXPECT_THAT(StepsIn(b->path()), ElementsAre(2));
}

TEST_F(EventFilesTest, ThreadsShareAWriter) {
  constexpr int kThreads = 4;
  constexpr int kEvents = 200;
  const auto writer = Writer();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int step = 0; step < kEvents; ++step) {
        EXPECT_TRUE(WriteNumber(*writer, step).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(StepsIn(writer->path()).size(), size_t{kThreads} * kEvents);
}

// The test simulates a full disk with a limit on the size of files. The system
// writes a part of the bytes and then returns an error.
TEST_F(EventFilesTest, AFullDiskLosesOnlyWhatWaited) {
  const auto writer = Writer({.max_queue = 100});
  ASSERT_TRUE(WriteNumber(*writer, 1).ok());
  ASSERT_TRUE(writer->Flush().ok());
  const auto before = std::filesystem::file_size(writer->path());
  rlimit old_limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  auto* const old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {before + 50, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  for (int64_t step = 2; step < 7; ++step) {
    EXPECT_TRUE(WriteNumber(*writer, step).ok());
  }
  const absl::Status status = writer->Flush();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr(writer->path()));
  EXPECT_THAT(std::string(status.message()), HasSubstr("5 events are lost"));
  EXPECT_EQ(std::filesystem::file_size(writer->path()), before);
  ASSERT_TRUE(WriteNumber(*writer, 7).ok());
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_THAT(StepsIn(writer->path()), ElementsAre(1, 7));
}

TEST_F(EventFilesTest, AWriterNeedsRightsForItsFolder) {
  EXPECT_EQ(
      EventWriter::Create(FileAccess(), folder_.Path("logs")).status().code(),
      absl::StatusCode::kPermissionDenied);
  ASSERT_TRUE(WriteFile(folder_.Path("file"), "").ok());
  EXPECT_FALSE(EventWriter::Create(files_, folder_.Path("file")).ok());
}

TEST_F(EventFilesTest, ARecordHasTensorFlowsBytes) {
  // These are the bytes that tf.io.TFRecordWriter writes.
  constexpr absl::string_view kBytes(
      "\x03\0\0\0\0\0\0\0\xb0\x99\x49\x0e"
      "a\0b\xcb\xb2\x3b\xf5",
      19);
  EXPECT_EQ(Record(absl::string_view("a\0b", 3)), kBytes);
}

TEST_F(EventFilesTest, DamageIsFound) {
  const std::string good = Record("first") + Record("second");
  const std::string where =
      absl::StrCat("file '", folder_.Path("damaged"), "'");
  EXPECT_TRUE(ErrorOf(good).ok());
  EXPECT_TRUE(ErrorOf("").ok());
  const auto at_second = static_cast<int64_t>(Record("first").size());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string changed = good;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const absl::Status status = ErrorOf(changed);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << i;
    EXPECT_THAT(std::string(status.message()), HasSubstr(where));
    const int64_t offset = static_cast<int64_t>(i) < at_second ? 0 : at_second;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("the record at offset ", offset, " ")));
    const absl::Status cut = ErrorOf(good.substr(0, i));
    const bool is_complete = i == 0 || static_cast<int64_t>(i) == at_second;
    EXPECT_EQ(cut.code(),
              is_complete ? absl::StatusCode::kOk : absl::StatusCode::kDataLoss)
        << i;
  }
}

// The length of each record is far too large, but its checksum is correct.
TEST_F(EventFilesTest, ALengthThatDeceivesAllocatesNothing) {
  for (const uint64_t length : {uint64_t{2'000'000'000}, uint64_t{1} << 40,
                                UINT64_MAX, UINT64_MAX - 15}) {
    const absl::string_view number(reinterpret_cast<const char*>(&length),
                                   sizeof(length));
    const uint32_t crc = Mask(Crc32c(number));
    std::string bytes(number);
    bytes.append(reinterpret_cast<const char*>(&crc), sizeof(crc));
    bytes.append(100, 'x');
    const absl::Status status = ErrorOf(bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << length;
    // This error comes from the reader, before it allocates or reads the
    // record.
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("the record at offset 0 "));
  }
}

TEST_F(EventFilesTest, ARecordThatIsNoEventIsDataLoss) {
  const std::string path = folder_.Path("events");
  ASSERT_TRUE(WriteFile(path, Record("") + Record("\xff\xff")).ok());
  auto reader = EventReader::Open(path);
  ASSERT_TRUE(reader.ok());
  pb::Event event;
  EXPECT_TRUE(reader->Read(event).ok());
  const absl::Status status = reader->Read(event);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(absl::StrCat("file '", path,
                                     "': the record at offset 16 is not an "
                                     "event")));
}

// Each value of a summary is two bytes here, but hundreds in memory.
TEST_F(EventFilesTest, AnEventThatWouldNeedTooMuchMemoryIsRefused) {
  constexpr size_t kValues = 8'000'000;
  std::string values;
  for (size_t i = 0; i < kValues; ++i) values.append("\x0a\0", 2);
  pb::Summary summary;
  EXPECT_FALSE(ParseBounded(values, summary));
  EXPECT_TRUE(ParseBounded(values.substr(0, 20), summary));
  EXPECT_EQ(summary.value_size(), 10);
}

TEST_F(EventFilesTest, MessagesShareTheMemoryOfAnOp) {
  std::string ten;
  for (int i = 0; i < 10; ++i) ten.append("\x0a\0", 2);
  pb::Summary summary;
  int64_t budget = 10'000;
  EXPECT_TRUE(MergeBounded(ten, budget, summary));
  EXPECT_TRUE(MergeBounded(ten, budget, summary));
  EXPECT_LT(budget, 4'000);
  EXPECT_FALSE(MergeBounded(ten, budget, summary));
  EXPECT_EQ(summary.value_size(), 20);
}

}  // namespace
}  // namespace leat::event_files_test
