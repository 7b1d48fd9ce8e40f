// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cost_recorder.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/file_access.h"
#include "leat/partitioner/costs/cost_file.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::cost_recorder_test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kKind[] = "CPU";

class CostRecorderTest : public ::testing::Test {
 protected:
  std::unique_ptr<CostRecorder> NewRecorder() {
    return CostRecorder::Create({.folder = costs_,
                                 .clock = &clock_,
                                 .log =
                                     [this](absl::string_view message) {
                                       messages_.emplace_back(message);
                                     }})
        .value();
  }
  static void Measure(CostRecorder& recorder, const std::string& key) {
    recorder.Update(kKind,
                    [&](DeviceCosts& costs) { costs.AddTime(key, 0.5f); });
  }
  // Returns the number of kernels in the file.
  size_t NumWritten() const {
    CostTable table;
    EXPECT_TRUE(ReadCosts(costs_, table).ok());
    return table.Copy(kKind).kernels().size();
  }

  testing::SimulatedClock clock_;
  const TemporaryFolder folder_;
  const std::string costs_ = folder_.Path("new/costs");
  std::vector<std::string> messages_;
};

TEST_F(CostRecorderTest, WritesEachMinuteAndAtTheEnd) {
  auto recorder = NewRecorder();
  Measure(*recorder, "a");
  clock_.Advance(seconds(59));
  EXPECT_EQ(NumWritten(), 0u);
  clock_.Advance(seconds(1));
  EXPECT_EQ(NumWritten(), 1u);
  Measure(*recorder, "b");
  clock_.Advance(minutes(1));
  EXPECT_EQ(NumWritten(), 2u);
  Measure(*recorder, "c");
  recorder = nullptr;
  EXPECT_EQ(NumWritten(), 3u);
}

TEST_F(CostRecorderTest, WritesOnlyWhatHasChanged) {
  const auto recorder = NewRecorder();
  Measure(*recorder, "a");
  clock_.Advance(minutes(1));
  std::filesystem::remove_all(costs_);
  clock_.Advance(minutes(5));
  EXPECT_FALSE(std::filesystem::exists(costs_));
}

TEST_F(CostRecorderTest, BeginsWithWhatIsThere) {
  auto recorder = NewRecorder();
  Measure(*recorder, "a");
  recorder = nullptr;
  recorder = NewRecorder();
  EXPECT_NE(recorder->table().Copy(kKind).FindKernel("a"), nullptr);
  Measure(*recorder, "b");
  recorder = nullptr;
  EXPECT_EQ(NumWritten(), 2u);
}

TEST_F(CostRecorderTest, TwoKeepWhatTheOtherHasWritten) {
  auto first = NewRecorder();
  auto second = NewRecorder();
  Measure(*first, "a");
  Measure(*second, "b");
  first = nullptr;
  second = nullptr;
  EXPECT_EQ(NumWritten(), 2u);
}

TEST_F(CostRecorderTest, WaitsWhileAnotherProcessWrites) {
  const auto recorder = NewRecorder();
  Measure(*recorder, "a");
  {
    const auto lock = FileAccess::Unrestricted().LockFolder(costs_);
    ASSERT_TRUE(lock.ok());
    recorder->Write();  // waits, and tries again later
    EXPECT_EQ(NumWritten(), 0u);
    EXPECT_THAT(messages_, ElementsAre(HasSubstr("is in use")));
  }
  clock_.Advance(minutes(1));
  EXPECT_EQ(NumWritten(), 1u);
}

TEST_F(CostRecorderTest, SaysOnceThatItCannotWrite) {
  const auto recorder = NewRecorder();
  std::filesystem::remove_all(costs_);
  Measure(*recorder, "a");
  clock_.Advance(minutes(10));
  EXPECT_THAT(messages_, ElementsAre(HasSubstr("what steps cost cannot be")));
  // It goes on when it can.
  std::filesystem::create_directories(costs_);
  clock_.Advance(minutes(1));
  EXPECT_EQ(NumWritten(), 1u);
}

TEST_F(CostRecorderTest, MayEndWhileItWrites) {
  testing::Event writes;
  testing::Event ends;
  auto recorder = CostRecorder::Create(
      {.folder = costs_, .clock = &clock_, .log = [&](absl::string_view) {
         writes.Set();
         EXPECT_TRUE(ends.Wait());
         // Lets the destructor begin.
         for (int i = 0; i < 10'000; ++i) std::this_thread::yield();
       }});
  ASSERT_TRUE(recorder.ok()) << recorder.status();
  std::filesystem::remove_all(costs_);
  Measure(**recorder, "a");
  clock_.Advance(minutes(1));
  ASSERT_TRUE(writes.Wait());
  ends.Set();
  recorder->reset();
}

TEST_F(CostRecorderTest, RefusesAFolderWithABadFile) {
  std::filesystem::create_directories(costs_);
  const std::string path = costs_ + "/" + CostFileName(kKind);
  std::ofstream(path) << "version: 7";
  const auto made = CostRecorder::Create({.folder = costs_, .clock = &clock_});
  EXPECT_TRUE(absl::IsInvalidArgument(made.status()));
  EXPECT_THAT(made.status().message(), HasSubstr("has version 7"));
}

}  // namespace
}  // namespace leat::cost_recorder_test
