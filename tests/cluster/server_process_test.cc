// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests `leat serve` as a process: what it prints, which peers it accepts, and
// how it ends.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/distributed/transport/transport.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/sanitizers.h"
#include "leat/tests/testing/task_client.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::server_process_test {
namespace {

using testing::AddressOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::Process;
using testing::ServeAlone;
using testing::StartedCall;
using ::testing::StartsWith;
using testing::TaskClient;

// A server that serves no client yet must be ready within kQuick, and its
// resident memory must be at most kSmall bytes.
constexpr absl::Duration kQuick =
    testing::kHasSanitizer ? absl::InfiniteDuration() : absl::Milliseconds(200);
#if defined(NDEBUG)
constexpr int64_t kSmallWithoutSanitizer = 40'000'000;
#else  // unoptimized code is larger
constexpr int64_t kSmallWithoutSanitizer = 60'000'000;
#endif
constexpr int64_t kSmall = testing::kHasSanitizer
                               ? std::numeric_limits<int64_t>::max()
                               : kSmallWithoutSanitizer;

constexpr char kDevice[] = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr char kStopping[] = "task /job:ps/replica:0/task:0 is stopping";
// A step of this graph first sends a tensor to a peer, which shows the test
// that the step has begun. Then the step waits until it is aborted. $0 is the
// device, and $1 is the device's incarnation.
constexpr char kDequeue[] = R"(
  node { name: "c" op: "Const" device: "$0"
    attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor {
      dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
  node { name: "send" op: "_Send" input: "c" device: "$0"
    attr { key: "T" value { type: DT_FLOAT } }
    attr { key: "tensor_name" value { s: "begun" } }
    attr { key: "send_device" value { s: "$0" } }
    attr { key: "send_device_incarnation" value { i: $1 } }
    attr { key: "recv_device" value { s: "$0" } } }
  node { name: "q" op: "FIFOQueueV2" device: "$0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
  node { name: "dequeue" op: "QueueDequeueV2" input: "q" device: "$0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
)";
constexpr char kNothing[] = R"(node { name: "n" op: "NoOp" device: "$0" })";

std::vector<std::string> With(std::vector<std::string> args,
                              const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

class ServerProcessTest : public ::testing::Test {
 protected:
  TaskClient Client(Process& server) const {
    return TaskClient(*transport_, AddressOf(server));
  }
  // Expects that the program ends with exit code `code`, prints `message` to
  // standard error, and prints nothing to standard output.
  static void ExpectEnd(const std::vector<std::string>& args, int code,
                        const std::string& message,
                        const std::vector<std::string>& variables = {}) {
    Process server(LEAT_PROGRAM_LEAT, args, variables);
    EXPECT_EQ(server.Wait(), code) << server.Err();
    EXPECT_THAT(server.Err(), HasSubstr(message));
    EXPECT_EQ(server.Out(), "");
  }
  static std::string Register(TaskClient& client, const std::string& session,
                              const std::string& graph) {
    const auto handle = client.Register(
        session, absl::Substitute(graph, kDevice,
                                  static_cast<int64_t>(client.Incarnation())));
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.value_or("");
  }
  // Starts a step that waits. Returns when the step has begun.
  static std::shared_ptr<StartedCall> RunDequeue(TaskClient& client) {
    auto call = client.Run("s", Register(client, "s", kDequeue), 1);
    pb::RecvTensorRequest request;
    request.set_step_id(1);
    request.set_rendezvous_key(
        RendezvousKey{.send_device = kDevice,
                      .send_incarnation = client.Incarnation(),
                      .recv_device = kDevice,
                      .tensor_name = "begun"}
            .ToString());
    const auto begun = client.Start(methods::kRecvTensor, request)->Wait();
    EXPECT_TRUE(begun.ok()) << begun.status();
    return call;
  }
  // Starts steps on a task that was told to stop, until the task refuses one.
  // Returns the error of the refused step.
  static absl::Status Refusal(TaskClient& client, const std::string& graph) {
    absl::Status refusal;
    for (int64_t step = 100; refusal.ok() && step < 100'000; ++step) {
      refusal = client.Run("s", graph, step)->Wait().status();
    }
    return refusal;
  }

  const std::unique_ptr<Transport> transport_ =
      *BuiltinTransports().Create("grpc");
};

TEST_F(ServerProcessTest, SaysItsTaskAndItsFreePort) {
  Process server(LEAT_PROGRAM_LEAT, ServeAlone());
  const std::string address = AddressOf(server);
  EXPECT_THAT(address, MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]*"));
  EXPECT_NE(TaskClient(*transport_, address).Incarnation(), 0u);
  EXPECT_EQ(server.Err(), "");
}

TEST_F(ServerProcessTest, TakesItsTaskFromTheEnvironment) {
  Process server(LEAT_PROGRAM_LEAT, {"serve", "--bind", "127.0.0.1:0"},
                 {R"(TF_CONFIG={"cluster": {"ps": ["10.0.0.1:7001"]},
                     "task": {"type": "ps", "index": 0}})"});
  EXPECT_NE(Client(server).Incarnation(), 0u);
}

TEST_F(ServerProcessTest, EndsAtASignal) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Process server(LEAT_PROGRAM_LEAT, ServeAlone());
    AddressOf(server);
    server.Signal(signal);
    EXPECT_EQ(server.Wait(absl::Seconds(10)), 128 + signal) << server.Err();
  }
}

TEST_F(ServerProcessTest, GivesRunningStepsTheirGrace) {
  // The grace period is long enough for the test to look at the running step,
  // even on a busy machine.
  Process server(LEAT_PROGRAM_LEAT, With(ServeAlone(), {"--grace", "4"}));
  TaskClient client = Client(server);
  const std::string nothing = Register(client, "s", kNothing);
  const auto running = RunDequeue(client);
  const absl::Time start = absl::Now();
  server.Signal(SIGTERM);
  const absl::Status refusal = Refusal(client, nothing);
  EXPECT_EQ(refusal.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refusal.message()), HasSubstr(kStopping));
  EXPECT_FALSE(running->is_done());
  const absl::Status failed = running->Wait().status();
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(3950));
  EXPECT_EQ(failed.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(failed.message()), HasSubstr(kStopping));
  EXPECT_EQ(server.Wait(absl::Seconds(10)), 128 + SIGTERM);
}

TEST_F(ServerProcessTest, CallsOfATaskThatEndsAreUnavailable) {
  for (int i = 0; i < 10; ++i) {
    Process server(LEAT_PROGRAM_LEAT, ServeAlone());
    TaskClient client = Client(server);
    const std::string nothing = Register(client, "s", kNothing);
    server.Signal(SIGTERM);
    const absl::Status refusal = Refusal(client, nothing);
    EXPECT_EQ(refusal.code(), absl::StatusCode::kUnavailable) << refusal;
    EXPECT_EQ(server.Wait(absl::Seconds(10)), 128 + SIGTERM);
  }
}

TEST_F(ServerProcessTest, ASecondSignalEndsItAtOnce) {
  Process server(LEAT_PROGRAM_LEAT, With(ServeAlone(), {"--grace", "600"}));
  TaskClient client = Client(server);
  const std::string nothing = Register(client, "s", kNothing);
  const auto running = RunDequeue(client);
  server.Signal(SIGTERM);
  EXPECT_EQ(Refusal(client, nothing).code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(server.IsRunning());
  server.Signal(SIGINT);
  EXPECT_EQ(server.Wait(absl::Seconds(10)), 128 + SIGINT);
  EXPECT_EQ(running->Wait().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ServerProcessTest, ExitCodesTellWhatIsWrong) {
  ExpectEnd({"serve"}, 3, "cluster");
  ExpectEnd({"serve", "--cluster", R"({"ps": [")"}, 3, "byte");
  ExpectEnd(With(ServeAlone(), {"--bind", "nowhere"}), 3, "'nowhere'");
  ExpectEnd(With(ServeAlone(), {"--devices", "abacus"}), 3, "'abacus'");
  ExpectEnd(With(ServeAlone(), {"--bind", "0.0.0.0:0"}), 3,
            "'0.0.0.0:0' is not a loopback address; tasks talk without "
            "encryption: pass --insecure if the network is yours");
  ExpectEnd(With(ServeAlone("10.0.0.1:7001"), {}), 3,
            "'10.0.0.1:7001' is not a loopback address");
  ExpectEnd({"serve", "--cluster", R"({"ps": ["127.0.0.1:1"]})", "--job", "ps",
             "--task", "4"},
            3, "task 4");
  ExpectEnd({"serve"}, 3, "evaluator",
            {R"(TF_CONFIG={"cluster": {"ps": ["127.0.0.1:1"]},
                           "task": {"type": "evaluator", "index": 0}})"});
  ExpectEnd(With(ServeAlone(), {"--grace", "-1"}), 2, "--grace");
  ExpectEnd(With(ServeAlone(), {"--max-graphs", "0"}), 2, "--max-graphs");
  Process server(LEAT_PROGRAM_LEAT, ServeAlone());
  const std::string address = AddressOf(server);
  ExpectEnd(With(ServeAlone(), {"--bind", address}), 1, address);
}

TEST_F(ServerProcessTest, ListensElsewhereWhenToldSo) {
  Process server(LEAT_PROGRAM_LEAT,
                 With(ServeAlone(), {"--bind", "0.0.0.0:0", "--insecure"}));
  EXPECT_THAT(AddressOf(server), StartsWith("0.0.0.0:"));
}

TEST_F(ServerProcessTest, LimitsAreFlags) {
  Process server(LEAT_PROGRAM_LEAT,
                 With(ServeAlone(), {"--max-worker-sessions", "2",
                                     "--max-graphs", "1", "--max-graph-nodes",
                                     "2", "--max-message-bytes", "10KiB"}));
  TaskClient client = Client(server);
  const std::string node = absl::Substitute(kNothing, kDevice);
  const auto code = [&](const std::string& session, const std::string& graph) {
    return client.Register(session, graph).status().code();
  };
  EXPECT_EQ(code("a", node), absl::StatusCode::kOk);
  EXPECT_EQ(code("a", node), absl::StatusCode::kResourceExhausted);
  std::string three = node;
  for (const char* name : {"\"n2\"", "\"n3\""}) {
    three += absl::Substitute("node { name: $0 op: \"NoOp\" device: \"$1\" }",
                              name, kDevice);
  }
  EXPECT_EQ(code("b", three), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(std::string(20'000, 'x'), node),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code("c", node), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code("b", node), absl::StatusCode::kOk);
}

TEST_F(ServerProcessTest, OnlyItsUserReachesASocket) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("socket");
  const auto args = ServeAlone("unix:" + path);
  {
    Process server(LEAT_PROGRAM_LEAT, args);
    EXPECT_EQ(AddressOf(server), "unix:" + path);
    struct stat info = {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode, mode_t{S_IFSOCK | 0600});
    EXPECT_NE(TaskClient(*transport_, "unix:" + path).Incarnation(), 0u);
    ExpectEnd(args, 1, "another server listens");
    EXPECT_NE(TaskClient(*transport_, "unix:" + path).Incarnation(), 0u);
  }  // kills the server, so the socket's file remains
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
  Process server(LEAT_PROGRAM_LEAT, args);
  EXPECT_EQ(AddressOf(server), "unix:" + path);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(absl::Seconds(10)), 128 + SIGTERM);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST_F(ServerProcessTest, TakesNoFileOfAnotherKindForItsSocket) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("file");
  std::ofstream(path) << "precious";
  ExpectEnd(ServeAlone("unix:" + path), 3, "is no socket");
  EXPECT_EQ(testing::ReadFile(path), "precious");
}

TEST_F(ServerProcessTest, StartsQuicklyAndIsSmall) {
  absl::Duration quickest = absl::InfiniteDuration();
  int64_t bytes = 0;
  // Starts five servers. If none of them is ready within kQuick, starts up to
  // 50 servers, because the machine may be busy with other work.
  for (int i = 0; i < (quickest < kQuick ? 5 : 50); ++i) {
    const absl::Time start = absl::Now();
    Process server(LEAT_PROGRAM_LEAT, ServeAlone());
    AddressOf(server);
    quickest = std::min(quickest, absl::Now() - start);
    bytes = server.ResidentBytes();
  }
  std::cout << "ready after " << quickest << ", " << bytes / 1'000'000
            << " MB resident\n";
  EXPECT_LT(quickest, kQuick);
  EXPECT_LT(bytes, kSmall);
}

}  // namespace
}  // namespace leat::server_process_test
