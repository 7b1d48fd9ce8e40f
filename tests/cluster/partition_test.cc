// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A network that loses everything between a worker and a parameter server, both
// ways, and tells nobody. The tasks are in network namespaces of the kernel's,
// the test in one, too: it starts itself anew in there. Skipped where the
// kernel does not let it.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/cluster/counting_client.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/processes.h"

namespace leat {
namespace {

using testing::Becomes;
using testing::CountingClient;
using testing::CountingModel;
using testing::Counts;
using ::testing::HasSubstr;
using testing::NumSeeds;
using testing::Process;
using Code = absl::StatusCode;

constexpr char kInside[] = "LEAT_TEST_IN_NAMESPACE";
constexpr absl::Duration kNoticed = absl::Seconds(5);
constexpr absl::Duration kBothNoticed = absl::Seconds(10);  // if it is busy
constexpr absl::Duration kResumed = absl::Seconds(5);
constexpr char kCluster[] =
    R"({"ps": ["10.9.0.2:7001"], "worker": ["10.9.0.1:7002"]})";
// Waits for its end of the cable.
constexpr char kPsScript[] = R"(
  until ip link show leat1 > /dev/null 2>&1; do sleep 0.01; done
  ip link set lo up && ip addr add 10.9.0.2/24 dev leat1 &&
  ip link set leat1 up && exec "$0" "$@")";

std::string Shell(const std::string& script, int* code) {
  Process process("/bin/sh", {"-c", script});
  *code = process.Wait();
  return process.Out() + process.Err();
}

void Run(const std::string& script) {
  int code = 0;
  const std::string said = Shell(script, &code);
  ASSERT_EQ(code, 0) << script << ": " << said;
}

// What makes a new network namespace, and of a user who may change it.
std::string Unshare() {
  return geteuid() == 0 ? "unshare --net"
                        : "unshare --user --map-root-user --net";
}

// Why there are no namespaces with cables between them; "" when there are.
std::string WhyNot() {
  int code = 0;
  const std::string said = Shell(
      absl::StrCat(Unshare(),
                   " sh -c 'ip link set lo up && ip link add leat0 type veth "
                   "peer name leat1 && unshare --net true && command -v "
                   "nsenter > /dev/null'"),
      &code);
  return code == 0 ? "" : absl::StrCat("exit code ", code, ": ", said);
}

// Connections that a server has accepted, in the namespace of that process; its
// port and the caller's address in /proc/net's notation.
int Accepted(const std::string& process, const std::string& port,
             const std::string& caller) {
  int count = 0;
  for (const char* file : {"/net/tcp", "/net/tcp6"}) {
    std::ifstream lines("/proc/" + process + file);
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> fields =
          absl::StrSplit(line, ' ', absl::SkipEmpty());
      if (fields.size() > 3 && absl::EndsWith(fields[1], port) &&
          absl::StrContains(fields[2], caller) && fields[3] == "01") {
        ++count;
      }
    }
  }
  return count;
}

// This test, in a namespace of its own.
void RunInside(const std::string& filter) {
  std::error_code error;
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe", error).string();
  ASSERT_FALSE(error) << error.message();
  const char* seeds = std::getenv("LEAT_TEST_SEEDS");
  std::vector<std::string> variables = {absl::StrCat(kInside, "=1")};
  if (seeds != nullptr) {
    variables.push_back(absl::StrCat("LEAT_TEST_SEEDS=", seeds));
  }
  Process inside("/bin/sh",
                 {"-c", absl::StrCat("exec ", Unshare(), " \"$0\" \"$@\""),
                  program, absl::StrCat("--gtest_filter=", filter)},
                 variables);
  const int code = inside.Wait(absl::Seconds(110));
  std::cout << inside.Out();
  EXPECT_EQ(code, 0) << inside.Err();
  EXPECT_THAT(inside.Out(), HasSubstr("[  PASSED  ] 1 test."));
}

// The worker beside the test, the parameter server at the other end of a cable.
class TwoHosts {
 public:
  TwoHosts() {
    Run("ip link set lo up; ip link add leat0 type veth peer name leat1; "
        "ip addr add 10.9.0.1/24 dev leat0; ip link set leat0 up");
    ps_ = std::make_unique<Process>(
        "/usr/bin/env",
        std::vector<std::string>{"unshare", "--net", "/bin/sh", "-c", kPsScript,
                                 LEAT_PROGRAM_LEAT, "serve", "--cluster",
                                 kCluster, "--job", "ps", "--task", "0",
                                 "--insecure", "--grace=1"});
    const std::string own = Namespace(getpid());
    EXPECT_TRUE(Becomes(
        [&] {
          const std::string its = Namespace(ps_->pid());
          return !its.empty() && its != own;
        },
        absl::Seconds(10)));
    Run(absl::StrCat("ip link set leat1 netns ", ps_->pid()));
    worker_ = std::make_unique<Process>(
        LEAT_PROGRAM_LEAT,
        std::vector<std::string>{"serve", "--cluster", kCluster, "--job",
                                 "worker", "--task", "0", "--bind",
                                 "0.0.0.0:7002", "--insecure", "--grace=1"});
    EXPECT_THAT(ps_->FirstLine(), HasSubstr("ready /job:ps"));
    EXPECT_THAT(worker_->FirstLine(), HasSubstr("ready /job:worker"));
  }

  void Cut() { Run("ip link set leat0 down"); }
  void Mend() { Run("ip link set leat0 up"); }
  // Of the tasks by each other, as their kernels know them.
  int AcceptedByPs() const {
    return Accepted(absl::StrCat(ps_->pid()), ":1B59", "0100090A:");
  }
  int AcceptedByWorker() const {
    return Accepted("self", ":1B5A", "0200090A:");
  }

  void End() {
    for (Process* task : {worker_.get(), ps_.get()}) task->Signal(SIGTERM);
    for (Process* task : {worker_.get(), ps_.get()}) {
      EXPECT_EQ(task->Wait(), 128 + SIGTERM) << task->Err();
    }
    // Its other end may have taken it along.
    Run("ip link del leat0 2> /dev/null || true");
  }

 private:
  static std::string Namespace(pid_t pid) {
    std::error_code error;
    return std::filesystem::read_symlink(absl::StrCat("/proc/", pid, "/ns/net"),
                                         error)
        .string();
  }

  std::unique_ptr<Process> ps_;
  std::unique_ptr<Process> worker_;
};

void CutAndMend(absl::Duration cut_for, int seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(static_cast<uint32_t>(seed));
  TwoHosts hosts;
  auto made = testing::MakeCountingModel(1, "/job:worker/task:0");
  ASSERT_TRUE(made.ok()) << made.status();
  const CountingModel model = *std::move(made);
  const SessionOptions options = {
      .target = "grpc://127.0.0.1:7002",
      .connect_timeout = std::chrono::milliseconds(500)};
  {
    auto session = NewSession(model.graph, options);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE((*session)->Run({.targets = {model.graph.init_op()}}).ok());
  }
  CountingClient client(model, options);
  ASSERT_TRUE(client.AwaitSteps(20, absl::Seconds(10)));
  absl::SleepFor(absl::Microseconds(random() % 50'000));
  const absl::Time cut = absl::Now();
  EXPECT_GE(hosts.AcceptedByPs(), 1);
  EXPECT_GE(hosts.AcceptedByWorker(), 1);
  hosts.Cut();
  const auto failure = client.AwaitFailure(cut, kNoticed);
  EXPECT_TRUE(failure.has_value());
  if (failure.has_value()) {
    std::cout << "noticed after " << failure->when - cut << ": "
              << failure->status << "\n";
    EXPECT_EQ(failure->status.code(), Code::kUnavailable) << failure->status;
    EXPECT_THAT(std::string(failure->status.message()),
                HasSubstr("/job:ps/replica:0/task:0"));
  }
  // Neither keeps what it served the other by.
  EXPECT_TRUE(Becomes(
      [&] { return hosts.AcceptedByPs() + hosts.AcceptedByWorker() == 0; },
      cut + kBothNoticed - absl::Now()))
      << hosts.AcceptedByPs() << " " << hosts.AcceptedByWorker();
  std::cout << "both ends have closed after " << absl::Now() - cut << "\n";
  absl::SleepFor(cut + cut_for - absl::Now());
  hosts.Mend();
  EXPECT_TRUE(client.AwaitSteps(20, kResumed));
  client.Stop();
  auto after = NewSession(model.graph, options);
  ASSERT_TRUE(after.ok()) << after.status();
  const auto counts = Counts(**after, model);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_GE((*counts)[0], static_cast<float>(client.done()));
  EXPECT_LE((*counts)[0], static_cast<float>(client.begun()));
  after->reset();
  hosts.End();
}

TEST(PartitionTest, BothEndsOfACutNetworkNotice) {
  if (std::getenv(kInside) == nullptr) {
    const std::string why_not = WhyNot();
    if (!why_not.empty()) {
      GTEST_SKIP() << "NOT TESTED: no network namespaces: " << why_not;
    }
    RunInside("PartitionTest.BothEndsOfACutNetworkNotice");
    return;
  }
  for (int seed = 1; seed <= NumSeeds(1); ++seed) {
    CutAndMend(NumSeeds(1) > 1 ? absl::Seconds(12) : absl::Seconds(10), seed);
  }
}

}  // namespace
}  // namespace leat
