// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/plan_dump.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/master/registered_plan.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/distributed/master/planned_on_two_tasks.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::plan_dump_test {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ReadFile;

constexpr char kSession[] = "1a2b3c4d5e6f7a8b";
constexpr char kFolder[] = "1a2b3c4d";

// Returns the names of the files in `folder`, sorted.
std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().filename());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class PlanDumpTest : public ::testing::Test {
 protected:
  // Makes a plan for two tasks and registers the plan's graphs at the tasks.
  // Returns the graph that each task has received.
  std::map<std::string, pb::GraphDef> Register(
      PlanDump& dump, std::string session = kSession,
      const std::vector<std::string>& foreign_tasks = {}) {
    std::map<std::string, pb::GraphDef> graphs;
    FakeTaskCaller tasks(
        [&graphs](const FakeTaskCaller::Received& call,
                  std::optional<absl::StatusOr<Payload>>& answer) {
          pb::RegisterGraphRequest request;
          EXPECT_TRUE(request.ParseFromString(call.request.header));
          graphs[call.task] = request.graph_def();
          answer = Payload();
        });
    auto plan = PlanOnTwoTasks(
        {.feeds = {"u", "x"}, .fetches = {"AddV2:0"}, .targets = {"Neg"}},
        TwoTasks(), {.keep_whole = true});
    EXPECT_TRUE(plan.ok()) << plan.status();
    bool registered = false;
    RegisterPlan(tasks, *std::move(plan),
                 {.handle = &session,
                  .devices = devices_,
                  .foreign_tasks = foreign_tasks,
                  .observer = &dump},
                 {}, [&](const auto& made) { registered = made.ok(); });
    EXPECT_TRUE(registered);
    return graphs;
  }

  const std::vector<DeviceInfo> devices_ = TwoTasks();
  const TemporaryFolder folder_;
  Log log_{"test"};
};

TEST_F(PlanDumpTest, FilesAreTheGraphsThatTasksGet) {
  PlanDump dump(folder_.Path(""), log_);
  for (const auto& foreign :
       {std::vector<std::string>{}, std::vector<std::string>{kPsTask}}) {
    const std::string number = foreign.empty() ? "0" : "1";
    auto graphs = Register(dump, kSession, foreign);
    ASSERT_EQ(graphs.size(), 2);
    for (const auto& [task, file] :
         {std::pair{kPsTask, "-ps-0.pbtxt"},
          std::pair{kWorkerTask, "-worker-0.pbtxt"}}) {
      pb::GraphDef read;
      ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
          ReadFile(folder_.Path(absl::StrCat(kFolder, "/", number, file))),
          &read))
          << file;
      EXPECT_GT(read.node_size(), 0);
      EXPECT_TRUE(MessageDifferencer::Equals(read, graphs.at(task)))
          << read.DebugString();
    }
  }
  EXPECT_THAT(FilesOf(folder_.Path(kFolder)),
              ElementsAre("0-ps-0.pbtxt", "0-worker-0.pbtxt", "1-ps-0.pbtxt",
                          "1-worker-0.pbtxt", "plan.txt"));
}

TEST_F(PlanDumpTest, ThePlansAreShownAsGraphDumpShowsThem) {
  PlanDump dump(folder_.Path(""), log_);
  Register(dump);
  Register(dump);
  const std::string text =
      ReadFile(folder_.Path(absl::StrCat(kFolder, "/plan.txt")));
  EXPECT_THAT(text, AllOf(HasSubstr("plan 0: partitioned graph of "),
                          HasSubstr("plan 1: partitioned graph of "),
                          HasSubstr("feeds u, x"), HasSubstr("fetches AddV2:0"),
                          HasSubstr("transfers: 1, 8 B"),
                          HasSubstr("partition /job:ps/replica:0/task:0"),
                          HasSubstr("float [2]")))
      << text;
}

TEST_F(PlanDumpTest, NoMorePlansThanItMay) {
  PlanDump dump(folder_.Path(""), log_, /*max_plans=*/2);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 4; ++i) Register(dump);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("has 2 plans; no more are written"));
  EXPECT_EQ(log.find("no more"), log.rfind("no more")) << log;
  EXPECT_EQ(FilesOf(folder_.Path(kFolder)).size(), 5);
}

// Session handles and task names must not be used as paths.
TEST_F(PlanDumpTest, NothingIsWrittenElsewhere) {
  PlanDump dump(folder_.Path(""), log_);
  Register(dump, "../../..");
  Register(dump, "");
  EXPECT_THAT(FilesOf(folder_.Path("")), ElementsAre("_", "________"));
}

TEST_F(PlanDumpTest, FilesAreForTheirOwnerOnly) {
  PlanDump dump(folder_.Path(""), log_);
  Register(dump);
  for (const char* file : {"", "/plan.txt", "/0-ps-0.pbtxt"}) {
    struct stat info;
    ASSERT_EQ(stat(folder_.Path(absl::StrCat(kFolder, file)).c_str(), &info),
              0);
    EXPECT_EQ(info.st_mode & 077, 0u) << file;
  }
}

TEST_F(PlanDumpTest, WhatCannotBeWrittenIsLoggedOnceAndFailsNothing) {
  PlanDump dump(folder_.Path("gone"), log_);
  ::testing::internal::CaptureStderr();
  Register(dump);
  Register(dump);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("': cannot write: "));
  EXPECT_THAT(log, HasSubstr("No such file or directory"));
  EXPECT_EQ(log.find("plans are missing"), log.rfind("plans are missing"));
}

// If other users can write to a folder, they may have put a link there.
TEST_F(PlanDumpTest, FollowsNoLinks) {
  const std::string target = folder_.Path("target");
  ASSERT_EQ(mkdir(folder_.Path(kFolder).c_str(), 0700), 0);
  ASSERT_EQ(symlink(target.c_str(),
                    folder_.Path(absl::StrCat(kFolder, "/plan.txt")).c_str()),
            0);
  PlanDump dump(folder_.Path(""), log_);
  ::testing::internal::CaptureStderr();
  Register(dump);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("': cannot write: "));
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(PlanDumpTest, ManyThreadsWriteEachTheirPlan) {
  PlanDump dump(folder_.Path(""), log_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { Register(dump); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(FilesOf(folder_.Path(kFolder)).size(), 2 * 8 + 1);
}

TEST(PlanDumpFolderTest, MustBeThereAndTakeFiles) {
  const TemporaryFolder folder;
  EXPECT_TRUE(PlanDump::CheckFolder(folder.Path("")).ok());
  EXPECT_TRUE(FilesOf(folder.Path("")).empty());
  const std::string file = folder.Path("file");
  EXPECT_THAT(PlanDump::CheckFolder(folder.Path("gone")).message(),
              HasSubstr("gone' cannot be used: No such file or directory"));
  { std::ofstream(file) << "x"; }
  EXPECT_THAT(PlanDump::CheckFolder(file).message(),
              HasSubstr("file' is not a folder"));
  // Even root cannot create files in /proc.
  EXPECT_THAT(PlanDump::CheckFolder("/proc").message(),
              HasSubstr("no file can be written in the folder '/proc'"));
}

}  // namespace
}  // namespace leat::plan_dump_test
