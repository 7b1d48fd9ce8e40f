// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A network that loses everything between a worker and a parameter server, both
// ways, and tells nobody. The tasks are in network namespaces of the kernel's,
// the test in one, too: it starts itself anew in there. Skipped where the
// kernel does not let it. Within which time the cut is noticed is printed: it
// should be 5 s, but a busy machine may take longer. Without pings the
// client would hear of it when the kernel gives up sending, after many minutes.
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
#include "leat/distributed/methods.h"
#include "leat/distributed/transport.h"
#include "leat/protos/status.pb.h"
#include "leat/tests/cluster/counting_client.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/task_client.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

using testing::Becomes;
using testing::CountingClient;
using testing::CountingModel;
using testing::Counts;
using ::testing::HasSubstr;
using testing::IsQuiet;
using testing::NumSeeds;
using testing::Process;
using testing::TaskClient;
using Code = absl::StatusCode;

constexpr char kInside[] = "LEAT_TEST_IN_NAMESPACE";
constexpr char kPsAddress[] = "10.9.0.2:7001";
constexpr char kWorkerAddress[] = "127.0.0.1:7002";
constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kNoticed = absl::Seconds(20);
constexpr char kCluster[] =
    R"({"ps": ["10.9.0.2:7001"], "worker": ["10.9.0.1:7002"]})";
// Waits for its end of the cable.
constexpr char kPsScript[] = R"(
  until ip link show leat1 > /dev/null 2>&1; do sleep 0.01; done
  ip link set lo up && ip addr add 10.9.0.2/24 dev leat1 &&
  ip link set leat1 up && exec "$0" "$@")";

// As a firewall: what is sent at that end of the cable is lost, and it stays
// up.
std::string Drop(absl::string_view change, absl::string_view end) {
  return absl::StrCat("PATH=$PATH:/usr/sbin:/sbin tc qdisc ", change, " dev ",
                      end, " root blackhole");
}

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

// Why there are no namespaces with cables between them that can be cut; "" when
// there are.
std::string WhyNot() {
  int code = 0;
  const std::string said = Shell(
      absl::StrCat(Unshare(),
                   " sh -c 'ip link set lo up && ip link add leat0 type veth "
                   "peer name leat1 && ",
                   Drop("add", "leat0"),
                   " && unshare --net true && command -v nsenter > /dev/null'"),
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
  const int code = inside.Wait(absl::Seconds(110) * NumSeeds(1));
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

  // Both ways.
  void Cut() { ChangeBothEnds("add"); }
  void Mend() { ChangeBothEnds("del"); }

  // As the task says, in time.
  void ExpectWorkerIsQuiet() const {
    pb::TaskStatusResponse status;
    EXPECT_TRUE(Becomes(
        [&] { return IsQuiet(status = StatusOf(kWorkerAddress)); }, kPatience))
        << status.DebugString();
  }
  // The same, where the test cannot reach it.
  void ExpectPsIsQuiet() const {
    nlohmann::json task;
    EXPECT_TRUE(Becomes(
        [&] {
          task = StatusInside(*ps_);
          if (!task.is_object()) return false;
          bool waits =
              task["steps"]["running"] != 0 || task["num_waiting_recvs"] != 0;
          for (const nlohmann::json& peer : task["peers"]) {
            waits = waits || peer["calls_under_way"] != 0;
          }
          return !waits;
        },
        kPatience))
        << task;
  }
  // Nor is anything left of a session or a step. REQUIRES: the network is
  // there.
  void ExpectIdle() const {
    for (const char* address : {kWorkerAddress, kPsAddress}) {
      pb::TaskStatusResponse status;
      EXPECT_TRUE(Becomes(
          [&] {
            status = StatusOf(address);
            return IsQuiet(status) && status.num_open_steps() == 0 &&
                   status.num_client_sessions() == 0 &&
                   status.num_worker_sessions() == 0;
          },
          kPatience))
          << status.DebugString();
    }
  }
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
  void ChangeBothEnds(absl::string_view change) {
    Run(Drop(change, "leat0"));
    Run(absl::StrCat("nsenter --target ", ps_->pid(), " --net /bin/sh -c '",
                     Drop(change, "leat1"), "'"));
  }
  pb::TaskStatusResponse StatusOf(const char* address) const {
    pb::TaskStatusResponse status;
    const absl::Status called =
        TaskClient(*transport_, address)
            .Call(methods::kTaskStatus, pb::TaskStatusRequest(), status);
    EXPECT_TRUE(called.ok()) << called;
    return status;
  }
  // What `leat status` of a process's own namespace says of the task there.
  static nlohmann::json StatusInside(const Process& task) {
    Process status("/usr/bin/env",
                   std::vector<std::string>{
                       "nsenter", "--target", absl::StrCat(task.pid()), "--net",
                       LEAT_PROGRAM_LEAT, "status", "--json", "--interval", "0",
                       "--timeout", "1", kPsAddress});
    status.Wait();  // 1 when it cannot reach the other task
    const auto reading = nlohmann::json::parse(status.Out(), nullptr, false);
    if (!reading.is_object()) return status.Err();
    for (const nlohmann::json& each : reading.at("tasks")) {
      if (each.at("address") == kPsAddress) return each;
    }
    return status.Out();
  }
  static std::string Namespace(pid_t pid) {
    std::error_code error;
    return std::filesystem::read_symlink(absl::StrCat("/proc/", pid, "/ns/net"),
                                         error)
        .string();
  }

  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  std::unique_ptr<Process> ps_;
  std::unique_ptr<Process> worker_;
};

// For `cut_for`, or until all is noticed.
void CutAndMend(absl::Duration cut_for, int seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(static_cast<uint32_t>(seed));
  TwoHosts hosts;
  auto made = testing::MakeCountingModel(1, "/job:worker/task:0");
  ASSERT_TRUE(made.ok()) << made.status();
  const CountingModel model = *std::move(made);
  const SessionOptions options = {
      .target = absl::StrCat("grpc://", kWorkerAddress),
      .connect_timeout = std::chrono::seconds(2)};
  // Where nobody is missing, but the machine may be slow.
  SessionOptions patient = options;
  patient.connect_timeout = std::chrono::seconds(30);
  {
    auto session = NewSession(model.graph, patient);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE((*session)->Run({.targets = {model.graph.init_op()}}).ok());
  }
  CountingClient client(model, options);
  ASSERT_TRUE(client.AwaitSteps(20, kPatience));
  absl::SleepFor(absl::Microseconds(random() % 50'000));
  const absl::Time cut = absl::Now();
  EXPECT_GE(hosts.AcceptedByPs(), 1);
  EXPECT_GE(hosts.AcceptedByWorker(), 1);
  hosts.Cut();
  const auto failure = client.AwaitFailure(cut, kPatience);
  ASSERT_TRUE(failure.has_value());
  std::cout << "noticed after " << failure->when - cut << ": "
            << failure->status << "\n";
  EXPECT_LT(failure->when - cut, kNoticed);
  EXPECT_EQ(failure->status.code(), Code::kUnavailable) << failure->status;
  EXPECT_THAT(std::string(failure->status.message()),
              HasSubstr("/job:ps/replica:0/task:0"));
  // Neither keeps what it served the other by, or waits for the other; without
  // pings of its own a server would after 20 s.
  EXPECT_TRUE(Becomes(
      [&] { return hosts.AcceptedByPs() + hosts.AcceptedByWorker() == 0; },
      cut + absl::Seconds(15) - absl::Now()))
      << hosts.AcceptedByPs() << " " << hosts.AcceptedByWorker();
  std::cout << "both ends have closed after " << absl::Now() - cut << "\n";
  client.Stop();
  hosts.ExpectWorkerIsQuiet();
  hosts.ExpectPsIsQuiet();
  std::cout << "given up after " << absl::Now() - cut << "\n";
  absl::SleepFor(cut + cut_for - absl::Now());

  const absl::Time mended = absl::Now();
  hosts.Mend();
  CountingClient again(model, options);
  EXPECT_TRUE(again.AwaitSteps(20, kPatience));
  std::cout << "goes on after " << absl::Now() - mended << "\n";
  again.Stop();
  auto after = NewSession(model.graph, patient);
  ASSERT_TRUE(after.ok()) << after.status();
  const auto counts = Counts(**after, model);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_GE((*counts)[0], static_cast<float>(client.done() + again.done()));
  EXPECT_LE((*counts)[0], static_cast<float>(client.begun() + again.begun()));
  after->reset();
  hosts.ExpectIdle();
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
  const absl::Duration cut_for =
      NumSeeds(1) > 1 ? absl::Seconds(30) : absl::ZeroDuration();
  for (int seed = 1; seed <= NumSeeds(1); ++seed) CutAndMend(cut_for, seed);
}

}  // namespace
}  // namespace leat
