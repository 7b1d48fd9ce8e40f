// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests a cluster whose network drops every packet between a worker and a
// parameter server. The network drops the packets in both directions and
// reports no error. Both tasks can still reach the chief.
//
// Each task has a host of its own, which is a network namespace of the kernel.
// A switch in the chief's namespace connects the hosts. The test starts itself
// again in that namespace. If the kernel does not allow this, the test is
// skipped.
//
// The test prints how soon the cut is noticed. This should happen within 5 s,
// but a busy machine may take longer. Without pings the step would end only
// after many minutes, when the kernel stops sending, or never.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
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
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/protos/status.pb.h"
#include "leat/tests/cluster/counting_client.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/task_client.h"

namespace leat::partition_test {
namespace {

using testing::Becomes;
using ::testing::ContainsRegex;
using testing::CountingClient;
using testing::CountingModel;
using testing::Counts;
using ::testing::HasSubstr;
using testing::IsIdle;
using testing::IsQuiet;
using testing::NumSeeds;
using testing::Process;
using testing::TaskClient;
using Code = absl::StatusCode;

constexpr char kInside[] = "LEAT_TEST_IN_NAMESPACE";
constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kNoticed = absl::Seconds(20);
constexpr char kCluster[] = R"({"chief": ["10.9.0.1:7001"],
    "ps": ["10.9.0.2:7001"], "worker": ["10.9.0.3:7001"]})";
// Waits until the host's end of its cable exists, configures it, and then runs
// the command "$@".
constexpr char kHostScript[] = R"(
  until ip link show cable > /dev/null 2>&1; do sleep 0.01; done
  ip link set lo up && ip addr add "$0/24" dev cable &&
  ip link set cable up && exec "$@")";

// Describes a host with the only task of `job`.
struct Host {
  const char* job;
  const char* ip;
  const char* kernel_ip;  // as /proc/net writes it

  std::string address() const { return absl::StrCat(ip, ":7001"); }
};
constexpr Host kChief = {"chief", "10.9.0.1", "0100090A"};
constexpr Host kPs = {"ps", "10.9.0.2", "0200090A"};
constexpr Host kWorker = {"worker", "10.9.0.3", "0300090A"};

// Returns a command that isolates a port of the switch. Isolated ports can
// reach only ports that are not isolated. Packets are dropped without an error,
// as by a firewall.
std::string Isolate(absl::string_view port, absl::string_view on_or_off) {
  return absl::StrCat("ip link set ", port, " type bridge_slave isolated ",
                      on_or_off);
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

// Returns the command that makes a new network namespace. For a user who is not
// root, the command also makes a user namespace, in which the user may change
// the network.
std::string Unshare() {
  return geteuid() == 0 ? "unshare --net"
                        : "unshare --user --map-root-user --net";
}

// Returns "" if this machine can make network namespaces and can connect them
// to a switch with isolated ports. Otherwise returns the error.
std::string WhyNot() {
  int code = 0;
  const std::string said = Shell(
      absl::StrCat(Unshare(),
                   " sh -c 'ip link add leat type bridge && ip link add ps "
                   "type veth peer name cable && ip link set ps master leat "
                   "&& ",
                   Isolate("ps", "on"), " && unshare --net true'"),
      &code);
  return code == 0 ? "" : absl::StrCat("exit code ", code, ": ", said);
}

// Runs this test again in a new namespace.
void RunInside() {
  const ::testing::TestInfo& test =
      *::testing::UnitTest::GetInstance()->current_test_info();
  std::error_code error;
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe", error).string();
  ASSERT_FALSE(error) << error.message();
  const char* seeds = std::getenv("LEAT_TEST_SEEDS");
  std::vector<std::string> variables = {absl::StrCat(kInside, "=1")};
  if (seeds != nullptr) {
    variables.push_back(absl::StrCat("LEAT_TEST_SEEDS=", seeds));
  }
  Process inside(
      "/bin/sh",
      {"-c", absl::StrCat("exec ", Unshare(), " \"$0\" \"$@\""), program,
       absl::StrCat("--gtest_filter=", test.test_suite_name(), ".",
                    test.name())},
      variables);
  const int code = inside.Wait(absl::Seconds(110) * NumSeeds(1));
  std::cout << inside.Out();
  EXPECT_EQ(code, 0) << inside.Err();
  EXPECT_THAT(inside.Out(), HasSubstr("[  PASSED  ] 1 test."));
}

// Holds all hosts of the cluster, with their tasks and the switch.
class Hosts {
 public:
  Hosts() {
    Run("ip link set lo up && ip link add leat type bridge && "
        "ip addr add 10.9.0.1/24 dev leat && ip link set leat up");
    Serve(kChief);
    for (const Host& host : {kPs, kWorker}) {
      Serve(host, {"unshare", "--net", "/bin/sh", "-c", kHostScript, host.ip});
      PlugIn(host);
    }
    for (const auto& [job, task] : tasks_) {
      EXPECT_THAT(task->FirstLine(),
                  HasSubstr(absl::StrCat("ready /job:", job)));
    }
  }

  // Drops all packets between the parameter server and the worker, in both
  // directions.
  void Cut() { IsolateBoth("on"); }
  void Mend() { IsolateBoth("off"); }

  // Expects that the function `is_so` soon returns true for the status of every
  // task.
  void ExpectAll(bool (*is_so)(const pb::TaskStatusResponse&)) const {
    for (const Host& host : {kChief, kPs, kWorker}) {
      pb::TaskStatusResponse status;
      EXPECT_TRUE(
          Becomes([&] { return is_so(status = StatusOf(host)); }, kPatience))
          << status.DebugString();
    }
  }

  // Returns the number of open connections of `caller` that `host` has
  // accepted, as the kernel of `host` lists them.
  int Accepted(const Host& host, const Host& caller) const {
    int count = 0;
    for (const char* file : {"tcp", "tcp6"}) {
      std::ifstream lines(
          absl::StrCat("/proc/", tasks_.at(host.job)->pid(), "/net/", file));
      for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> fields =
            absl::StrSplit(line, ' ', absl::SkipEmpty());
        if (fields.size() > 3 && absl::EndsWith(fields[1], ":1B59") &&
            absl::StrContains(fields[2], caller.kernel_ip) &&
            fields[3] == "01") {
          ++count;
        }
      }
    }
    return count;
  }

  void End() {
    for (const auto& [job, task] : tasks_) task->Signal(SIGTERM);
    for (const auto& [job, task] : tasks_) {
      EXPECT_EQ(task->Wait(), 128 + SIGTERM) << job << ": " << task->Err();
    }
    // A cable disappears when its host ends, so there may be nothing to delete.
    Run("for each in ps worker leat; do ip link del $each; done 2> /dev/null; "
        "! ip link show leat 2> /dev/null");
  }

 private:
  void Serve(const Host& host, std::vector<std::string> command = {}) {
    command.insert(command.end(),
                   {LEAT_PROGRAM_LEAT, "serve", "--cluster", kCluster, "--job",
                    host.job, "--task", "0", "--insecure", "--grace=1"});
    tasks_[host.job] = std::make_unique<Process>("/usr/bin/env", command);
  }
  // Connects the host to a port of the switch. The port has the name of the
  // job.
  void PlugIn(const Host& host) {
    const pid_t pid = tasks_[host.job]->pid();
    const std::string own = Namespace(getpid());
    EXPECT_TRUE(Becomes(
        [&] {
          const std::string its = Namespace(pid);
          return !its.empty() && its != own;
        },
        absl::Seconds(10)));
    Run(absl::StrCat("ip link add ", host.job,
                     " type veth peer name cable netns ", pid,
                     " && ip link set ", host.job, " master leat up"));
  }
  static void IsolateBoth(absl::string_view on_or_off) {
    for (const Host& host : {kPs, kWorker}) Run(Isolate(host.job, on_or_off));
  }
  pb::TaskStatusResponse StatusOf(const Host& host) const {
    pb::TaskStatusResponse status;
    const absl::Status called =
        TaskClient(*transport_, host.address())
            .Call(methods::kTaskStatus, pb::TaskStatusRequest(), status);
    EXPECT_TRUE(called.ok()) << called;
    return status;
  }
  static std::string Namespace(pid_t pid) {
    std::error_code error;
    return std::filesystem::read_symlink(absl::StrCat("/proc/", pid, "/ns/net"),
                                         error)
        .string();
  }

  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
  std::map<std::string, std::unique_ptr<Process>> tasks_;  // by job
};

// Cuts the network between the parameter server and the worker for `cut_for`,
// or longer if the tasks need longer to notice the cut. During the cut, the
// steps of a session on the master of host `master` must fail. Their error must
// name a task whose job matches the regular expression `named`.
void CutAndMend(const Host& master, const std::string& named,
                absl::Duration cut_for, int seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(static_cast<uint32_t>(seed));
  Hosts hosts;
  auto made = testing::MakeCountingModel(1, "/job:worker/task:0");
  ASSERT_TRUE(made.ok()) << made.status();
  const CountingModel model = *std::move(made);
  const SessionOptions options = {
      .target = absl::StrCat("grpc://", master.address()),
      .connect_timeout = std::chrono::seconds(2)};
  // Uses a long timeout while no task is missing, because the machine may be
  // slow.
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
  EXPECT_GE(hosts.Accepted(kPs, kWorker), 1);
  EXPECT_GE(hosts.Accepted(kWorker, kPs), 1);
  hosts.Cut();
  const auto failure = client.AwaitFailure(cut, kPatience);
  ASSERT_TRUE(failure.has_value());
  std::cout << "noticed after " << failure->when - cut << ": "
            << failure->status << "\n";
  EXPECT_LT(failure->when - cut, kNoticed);
  EXPECT_EQ(failure->status.code(), Code::kUnavailable) << failure->status;
  EXPECT_THAT(std::string(failure->status.message()),
              ContainsRegex(absl::StrCat("task /job:", named,
                                         "/replica:0/task:0 .* cannot be "
                                         "reached")));
  // The parameter server and the worker no longer wait for each other. Each has
  // closed the connections that it accepted from the other one. Without the
  // servers' pings, these connections would close only after 20 s.
  int accepted = 0;
  EXPECT_TRUE(Becomes(
      [&] {
        accepted = hosts.Accepted(kPs, kWorker) + hosts.Accepted(kWorker, kPs);
        return accepted == 0;
      },
      cut + absl::Seconds(15) - absl::Now()))
      << accepted;
  std::cout << "both ends have closed after " << absl::Now() - cut << "\n";
  client.Stop();
  hosts.ExpectAll(IsQuiet);
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
  hosts.ExpectAll(IsIdle);
  hosts.End();
}

void CutAndMendInside(const Host& master, const std::string& named) {
  if (std::getenv(kInside) == nullptr) {
    const std::string why_not = WhyNot();
    if (!why_not.empty()) {
      GTEST_SKIP() << "NOT TESTED: no network namespaces: " << why_not;
    }
    return RunInside();
  }
  const absl::Duration cut_for =
      NumSeeds(1) > 1 ? absl::Seconds(30) : absl::ZeroDuration();
  for (int seed = 1; seed <= NumSeeds(1); ++seed) {
    CutAndMend(master, named, cut_for, seed);
  }
}

TEST(PartitionTest, BothEndsOfACutNetworkNotice) {
  CutAndMendInside(kWorker, "ps");
}

// The chief is the master, and it still reaches both the parameter server and
// the worker. So neither of them learns of the cut from the master, and they
// must notice it themselves.
TEST(PartitionTest, BothEndsNoticeUnderTheMasterOfAThird) {
  CutAndMendInside(kChief, "(ps|worker)");
}

}  // namespace
}  // namespace leat::partition_test
