// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests `leat status` as a process, on tasks that are processes.
#include "leat/tools/status.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/tools/processes/run_program.h"
#include "nlohmann/json.hpp"

namespace leat::status_test {
namespace {

using ::leat::testing::Ended;
using ::leat::testing::ExpectEnd;
using ::leat::testing::Path;
using ::leat::testing::Process;
using ::leat::testing::RunProgram;
using ::leat::testing::Write;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class StatusTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(Path("")); }
  void TearDown() override { std::filesystem::remove_all(Path("")); }

  // The tasks listen on Unix sockets, because the name of a socket is known
  // before a task listens on it.
  std::string Address(const std::string& job) const {
    return absl::StrCat("unix:", folder_.Path(job));
  }
  std::unique_ptr<Process> Serve(const std::string& job) const {
    auto server = std::make_unique<Process>(
        LEAT_PROGRAM_LEAT,
        std::vector<std::string>{
            "serve", "--cluster",
            absl::StrCat(R"({"ps": [")", Address("ps"), R"("], "worker": [")",
                         Address("worker"), R"("]})"),
            "--job", job, "--task", "0"});
    EXPECT_THAT(server->FirstLine(), StartsWith("ready /job:"));
    return server;
  }
  // Runs `leat status` with a timeout that is long enough for a busy machine. A
  // flag in `args` takes precedence over this timeout.
  static Ended Status(std::vector<std::string> args) {
    args.insert(args.begin(), "status");
    return RunProgram(LEAT_PROGRAM_LEAT, args, {"LEAT_TIMEOUT=20"});
  }

  // Returns a Recv that the task `name` reports and that has waited for at
  // least one second. Returns null if there is none.
  nlohmann::json WaitingRecvOf(const std::string& name) const {
    const Ended ended = Status({Address("ps"), "--interval", "0", "--json"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out, nullptr, false);
    if (!json.is_object()) return nullptr;
    for (const auto& task : json.at("tasks")) {
      if (task.value("task", "") != name) continue;
      if (!task.contains("waiting_recvs")) return nullptr;
      const auto& recvs = task.at("waiting_recvs");
      if (recvs.empty()) return nullptr;
      return recvs.front();
    }
    return nullptr;
  }

  const TemporaryFolder folder_;
};

TEST_F(StatusTest, ShowsTasksDevicesAndSteps) {
  const auto ps = Serve("ps");
  const auto worker = Serve("worker");
  const std::string model = Write("model.pbtxt", R"(
    node { name: "c" op: "Const" device: "/job:ps/task:0"
           attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "value" value { tensor {
             dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
    node { name: "r" op: "RandomUniform" input: "shape"
           device: "/job:ps/task:0"
           attr { key: "T" value { type: DT_INT32 } }
           attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "shape" op: "Const" device: "/job:ps/task:0"
           attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "value" value { tensor {
             dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 5 } } } }
    node { name: "y" op: "Neg" input: "r" device: "/job:worker/task:0"
           attr { key: "T" value { type: DT_FLOAT } } })");
  const Ended ran = RunProgram(LEAT_PROGRAM_LEAT,
                               {"run", model, "--target",
                                absl::StrCat("unix://", folder_.Path("worker")),
                                "--fetch", "y", "--steps", "7"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const std::string& target :
       {Address("ps"), absl::StrCat("unix://", folder_.Path("worker"))}) {
    const Ended ended = Status({target, "--interval", "0"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, IsEmpty());
    EXPECT_THAT(ended.out,
                AllOf(StartsWith("2 tasks\n"), HasSubstr("/job:ps/task:0"),
                      HasSubstr("/job:worker/task:0"), HasSubstr("2 devices"),
                      HasSubstr("traffic between tasks")));
    EXPECT_THAT(ended.out, Not(HasSubstr("\x1b")));
  }
  const Ended ended = Status({Address("ps"), "--interval", "0.05", "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out, nullptr, false);
  ASSERT_EQ(json["tasks"].size(), 2u) << ended.out;
  for (const auto& task : json["tasks"]) {
    EXPECT_EQ(task["steps"]["succeeded"], 7) << task;
    EXPECT_EQ(task["steps"]["per_second"], 0.0);
    EXPECT_GT(task["resident_bytes"], 1 << 20);
    EXPECT_THAT(task["version"].get<std::string>(), HasSubstr("("));
  }
  EXPECT_EQ(json["tasks"][0]["peers"][0]["calls_served"], 14);
}

TEST_F(StatusTest, ShowsARecvThatIsStuck) {
  const auto ps = Serve("ps");
  const auto worker = Serve("worker");
  // No step puts an element into the queue.
  const std::string model = Write("stuck.pbtxt", R"(
    node { name: "q" op: "FIFOQueueV2" device: "/job:ps/task:0"
           attr { key: "component_types" value { list { type: DT_FLOAT } } } }
    node { name: "taken" op: "QueueDequeueV2" input: "q"
           device: "/job:ps/task:0"
           attr { key: "component_types" value { list { type: DT_FLOAT } } } }
    node { name: "y" op: "Neg" input: "taken" device: "/job:worker/task:0"
           attr { key: "T" value { type: DT_FLOAT } } })");
  Process client(
      LEAT_PROGRAM_LEAT,
      {"run", model, "--target",
       absl::StrCat("unix://", folder_.Path("worker")), "--fetch", "y"});
  constexpr char kPs[] = "/job:ps/replica:0/task:0";
  constexpr char kWorker[] = "/job:worker/replica:0/task:0";
  // Two tasks report the Recv: the task that waits for the tensor, and the task
  // from which it has requested the tensor.
  for (const char* task : {kPs, kWorker}) {
    nlohmann::json recv;
    const absl::Time end = absl::Now() + absl::Seconds(60);
    while (!recv.is_object() && client.IsRunning() && absl::Now() < end) {
      recv = WaitingRecvOf(task);
    }
    ASSERT_TRUE(recv.is_object()) << task << ": " << client.Err();
    EXPECT_EQ(recv.value("sender", ""), kPs);
    EXPECT_EQ(recv.value("receiver", ""), kWorker);
    EXPECT_THAT(recv.value("key", ""),
                AllOf(StartsWith(absl::StrCat(kPs, "/device:CPU:0;")),
                      HasSubstr(absl::StrCat(";", kWorker, "/device:CPU:0;")),
                      HasSubstr("taken")));
    EXPECT_GE(recv.value("age_us", 0), 1'000'000);
  }
  const Ended ended = Status({Address("ps"), "--interval", "0"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("steps that have run for 1s or longer"),
                    HasSubstr("Recvs that have waited for 1s or longer"),
                    HasSubstr(absl::StrCat(kPs, "/device:CPU:0;"))));
  // The Recv is shown in one row, although both tasks report it.
  EXPECT_EQ(ended.out.find("taken"), ended.out.rfind("taken")) << ended.out;
  // The step ends when its client ends.
  client.Signal(SIGTERM);
  client.Wait();
  const auto is_stuck = [&] {
    return WaitingRecvOf(kPs).is_object() || WaitingRecvOf(kWorker).is_object();
  };
  const absl::Time end = absl::Now() + absl::Seconds(60);
  while (is_stuck() && absl::Now() < end) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_FALSE(is_stuck());
}

TEST_F(StatusTest, ShowsATaskThatWasKilled) {
  const auto ps = Serve("ps");
  auto worker = Serve("worker");
  worker->Signal(SIGKILL);
  worker->Wait();
  const absl::Time start = absl::Now();
  const Ended ended = Status({Address("ps"), "--interval", "0.1"});
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(
      ended.out,
      AllOf(StartsWith("2 tasks, 1 without answer\n"), HasSubstr("no answer"),
            HasSubstr("/job:worker/task:0: "), HasSubstr("cannot be reached")));
  EXPECT_THAT(ended.err, HasSubstr("1 of 2 tasks"));
  const Ended json = Status({Address("ps"), "--interval", "0", "--json"});
  EXPECT_EQ(json.code, 1);
  const auto parsed = nlohmann::json::parse(json.out, nullptr, false);
  EXPECT_EQ(parsed["tasks"][1]["error"]["code"], "UNAVAILABLE") << json.out;
}

TEST_F(StatusTest, DoesNotWaitForATaskThatIsSilent) {
  const auto ps = Serve("ps");
  const auto worker = Serve("worker");
  worker->Stop();
  const absl::Time start = absl::Now();
  const Ended ended =
      Status({Address("ps"), "--interval", "0", "--timeout", "5"});
  const absl::Duration took = absl::Now() - start;
  worker->Signal(SIGCONT);
  EXPECT_EQ(ended.code, 1);
  EXPECT_LT(took, absl::Seconds(20));
  EXPECT_THAT(ended.out, HasSubstr("/job:worker/task:0: "));
}

TEST_F(StatusTest, SaysForWhatItWaitsBeforeItShowsAnything) {
  const auto ps = Serve("ps");
  const auto worker = Serve("worker");
  ps->Stop();
  Process watch(LEAT_PROGRAM_LEAT,
                {"status", Address("ps"), "--watch", "--timeout", "60"});
  const std::string notice =
      absl::StrCat("leat: warning: this command is waiting for the status of ",
                   Address("ps"), "; each task has 1m to answer (--timeout)\n");
  EXPECT_TRUE(watch.AwaitError(notice));
  EXPECT_EQ(watch.Out(), "");
  ps->Signal(SIGCONT);
}

TEST_F(StatusTest, SaysThatItWaitsForTheSecondReading) {
  const auto ps = Serve("ps");
  const auto worker = Serve("worker");
  // This object ends the process before the second reading.
  Process status(LEAT_PROGRAM_LEAT, {"status", Address("ps"), "--interval",
                                     "600", "--timeout", "60"});
  ASSERT_TRUE(status.AwaitError(" s (--interval); --interval 0 reads once\n"));
  EXPECT_THAT(status.Err(), HasSubstr("waiting for the second of its two "
                                      "readings, which begins in "));
  EXPECT_EQ(status.Out(), "");
}

TEST_F(StatusTest, FailsWith1WhenNobodyAnswers) {
  ExpectEnd(Status({Address("ps")}), 1,
            absl::StrCat("no status of ", Address("ps")));
  ExpectEnd(Status({"127.0.0.1:1"}), 1, "no status of 127.0.0.1:1");
}

TEST_F(StatusTest, FailsWith2ForWrongFlags) {
  ExpectEnd(Status({}), 2, "ADDRESS is required");
  ExpectEnd(Status({"nowhere"}), 2, "nowhere");
  ExpectEnd(Status({"127.0.0.1:1", "--interval", "-1"}), 2, "--interval");
  ExpectEnd(Status({"127.0.0.1:1", "--timeout", "0"}), 2, "--timeout");
}

TEST_F(StatusTest, GoesOnUntilItIsToldToEnd) {
  const auto ps = Serve("ps");
  const auto worker = Serve("worker");
  Process watch(LEAT_PROGRAM_LEAT,
                {"status", Address("ps"), "--watch", "--interval", "0.1",
                 "--timeout", "20", "--json"});
  const auto lines = [&watch] {
    const std::string out = watch.Out();
    return std::count(out.begin(), out.end(), '\n');
  };
  const absl::Time end = absl::Now() + absl::Seconds(30);
  while (lines() < 3 && absl::Now() < end) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_GE(lines(), 3);
  EXPECT_TRUE(watch.IsRunning());
  watch.Signal(SIGINT);
  EXPECT_EQ(watch.Wait(), -SIGINT);
}

}  // namespace
}  // namespace leat::status_test
