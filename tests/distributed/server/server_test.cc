// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/server.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/master/plan_observer.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/ops.h"
#include "leat/protos/master.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/server/edge_graphs.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/task_client.h"
#include "leat/tests/testing/test_service.h"

namespace leat::server_test {
namespace {

using ::testing::ElementsAre;
using testing::Eventually;
using ::testing::HasSubstr;
using testing::InProcessNetwork;
using ::testing::IsEmpty;
using testing::ReceivingGraph;
using testing::SendingGraph;
using testing::SimulatedClock;
using testing::StartedCall;
using testing::TaskClient;

constexpr char kPs[] = "/job:ps/replica:0/task:0";
constexpr char kWorker[] = "/job:worker/replica:0/task:0";
constexpr auto kForever = std::chrono::hours(1);

// In these graphs, $0 stands for the name of the task. A step of kDequeue waits
// until the test ends it.
constexpr char kDequeue[] = R"(
  node { name: "q" op: "FIFOQueueV2" device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
  node { name: "dequeue" op: "QueueDequeueV2" input: "q"
         device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
)";
constexpr char kNothing[] =
    R"(node { name: "n" op: "NoOp" device: "$0/device:CPU:0" })";
class ServerTest : public ::testing::Test {
 protected:
  ServerOptions Options(const std::string& job) const {
    const auto cluster = ClusterSpec::Create(
        {{"ps", {{0, "127.0.0.1:1"}}}, {"worker", {{0, "127.0.0.1:2"}}}});
    EXPECT_TRUE(cluster.ok());
    ServerOptions options;
    options.config = {.cluster = *cluster, .task = {.job = job, .index = 0}};
    options.devices.num_threads = 2;
    options.transport = "in-process";
    options.transports = &network_->transports();
    return options;
  }
  std::unique_ptr<Server> Start(const std::string& job) const {
    auto server = Server::Start(Options(job));
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : nullptr;
  }
  static std::string Register(TaskClient& client, const std::string& session,
                              const std::string& graph) {
    const auto handle = client.Register(session, graph);
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.value_or("");
  }
  testing::Edge PsToWorker() {
    return {.sender = kPs,
            .sender_incarnation = ps_.Incarnation(),
            .receiver = kWorker};
  }
  static void DeleteSession(TaskClient& client, const std::string& session) {
    pb::DeleteWorkerSessionRequest request;
    request.set_session_handle(session);
    pb::DeleteWorkerSessionResponse response;
    EXPECT_TRUE(
        client.Call(methods::kDeleteWorkerSession, request, response).ok());
  }
  // Returns the ticket in the parameter server's response to GetStatus.
  int64_t Ticket() {
    pb::GetStatusResponse status;
    EXPECT_TRUE(
        ps_.Call(methods::kGetStatus, pb::GetStatusRequest(), status).ok());
    return status.leat().ticket();
  }
  static void WaitUntilRunning(const Server& server, size_t steps) {
    EXPECT_TRUE(Eventually([&] { return server.counters().running == steps; }));
  }

  SimulatedClock clock_;
  const std::shared_ptr<InProcessNetwork> network_ =
      std::make_shared<InProcessNetwork>(2, clock_);
  const std::unique_ptr<Transport> transport_ =
      *network_->transports().Create("in-process");
  TaskClient ps_{*transport_, "127.0.0.1:1"};
  TaskClient worker_{*transport_, "127.0.0.1:2"};
};

TEST_F(ServerTest, ServesAtItsAddressInTheCluster) {
  const auto server = Start("ps");
  EXPECT_EQ(server->task().ToString(), kPs);
  EXPECT_EQ(server->address(), "127.0.0.1:1");
  EXPECT_EQ(server->target(), "in-process://127.0.0.1:1");
  pb::GetStatusResponse status;
  ASSERT_TRUE(
      ps_.Call(methods::kGetStatus, pb::GetStatusRequest(), status).ok());
  ASSERT_EQ(status.device_attributes_size(), 1);
  EXPECT_EQ(status.device_attributes(0).name(),
            absl::StrCat(kPs, "/device:CPU:0"));
}

TEST_F(ServerTest, ARestartedTaskHasAnotherIncarnation) {
  auto server = Start("ps");
  const uint64_t first = ps_.Incarnation();
  EXPECT_EQ(ps_.Incarnation(), first);
  server.reset();
  server = Start("ps");
  EXPECT_NE(ps_.Incarnation(), first);
}

TEST_F(ServerTest, RefusesAddressesThatOtherMachinesReach) {
  for (const char* address :
       {"0.0.0.0:1", "10.0.0.1:1", "[::]:1", "ps.example.com:1"}) {
    ServerOptions options = Options("ps");
    options.bind = address;
    const auto refused = Server::Start(options);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(refused.status().message(),
              absl::StrCat("address '", address,
                           "' is not a loopback address; tasks talk without "
                           "encryption: pass --insecure if the network is "
                           "yours"));
    options.insecure = true;
    EXPECT_TRUE(Server::Start(options).ok()) << address;
  }
}

TEST_F(ServerTest, RefusesTasksThatAreNotInTheCluster) {
  ServerOptions options = Options("evaluator");
  options.config.in_cluster = false;
  EXPECT_THAT(std::string(Server::Start(options).status().message()),
              HasSubstr("job 'evaluator' is outside of the cluster"));
  options = Options("ps");
  options.config.task.index = 3;
  EXPECT_EQ(Server::Start(options).status().code(),
            absl::StatusCode::kInvalidArgument);
  options = Options("ps");
  options.transport = "pigeons";
  EXPECT_EQ(Server::Start(options).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(ServerTest, AnAddressThatIsTakenIsUnavailable) {
  const auto server = Start("ps");
  EXPECT_EQ(Server::Start(Options("ps")).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(ServerTest, CountsWhatItHolds) {
  const auto server = Start("ps");
  const size_t own = server->counters().sessions;
  const std::string graph = Register(ps_, "s", absl::Substitute(kDequeue, kPs));
  const auto call = ps_.Run("s", graph, 7);
  WaitUntilRunning(*server, 1);
  // The step makes its rendezvous after everything else that is counted here.
  EXPECT_TRUE(Eventually([&] { return server->counters().rendezvous == 1; }));
  EXPECT_EQ(server->counters().sessions, own + 1);
  EXPECT_EQ(server->counters().graphs, 1u);
  EXPECT_EQ(server->counters().steps, 1u);
  DeleteSession(ps_, "s");
  EXPECT_FALSE(call->Wait().ok());
  WaitUntilRunning(*server, 0);
  EXPECT_EQ(server->counters().sessions, own);
  EXPECT_EQ(server->counters().graphs, 0u);
  EXPECT_EQ(server->counters().steps, 0u);
  // The thread that ended the step may hold the step's rendezvous for a moment.
  EXPECT_TRUE(Eventually([&] { return server->counters().rendezvous == 0; }));
}

TEST_F(ServerTest, StoppingItBeginsNoSteps) {
  const auto server = Start("ps");
  const std::string graph = Register(ps_, "s", absl::Substitute(kDequeue, kPs));
  const std::string other =
      Register(ps_, "other", absl::Substitute(kNothing, kPs));
  const auto running = ps_.Run("s", graph, 7);
  WaitUntilRunning(*server, 1);
  Thread stop("stop", [&] { server->Stop(kForever); });
  absl::Status refused;
  for (int64_t step = 100; refused.ok() && step < 100'000; ++step) {
    refused = ps_.Run("other", other, step)->Wait().status();
  }
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(refused.message(), "task /job:ps/replica:0/task:0 is stopping");
  EXPECT_EQ(ps_.Register("new", absl::Substitute(kNothing, kPs)).status(),
            refused);
  EXPECT_FALSE(running->is_done());
  DeleteSession(ps_, "s");  // The running step ends, so Stop can return.
  EXPECT_FALSE(running->Wait().ok());
  stop.Join();
  pb::GetStatusResponse status;
  EXPECT_EQ(
      ps_.Call(methods::kGetStatus, pb::GetStatusRequest(), status).code(),
      absl::StatusCode::kUnavailable);
}

TEST_F(ServerTest, StoppingItFailsWhatStillRunsAfterTheGrace) {
  const auto server = Start("ps");
  const std::string graph = Register(ps_, "s", absl::Substitute(kDequeue, kPs));
  std::vector<std::shared_ptr<StartedCall>> calls;
  for (int64_t step = 1; step <= 3; ++step) {
    calls.push_back(ps_.Run("s", graph, step));
  }
  WaitUntilRunning(*server, 3);
  const Clock::time_point start = clock_.Now();
  server->Stop(std::chrono::milliseconds(50));
  EXPECT_EQ(clock_.Now() - start, std::chrono::milliseconds(50));
  for (const auto& call : calls) {
    const absl::Status status = call->Wait().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("task /job:ps/replica:0/task:0 is stopping"));
  }
  EXPECT_EQ(server->counters().running, 0u);
  server->Stop(kForever);  // A second call does nothing.
}

TEST_F(ServerTest, StoppingItSaysForWhatItWaits) {
  std::vector<std::string> said;
  const auto say = [&said](absl::string_view message) {
    said.emplace_back(message);
  };
  auto server = Start("ps");
  const auto call =
      ps_.Run("s", Register(ps_, "s", absl::Substitute(kDequeue, kPs)), 1);
  WaitUntilRunning(*server, 1);
  server->Stop(std::chrono::seconds(12), say);
  EXPECT_FALSE(call->Wait().ok());
  EXPECT_THAT(said,
              ElementsAre(absl::StrCat(kPs,
                                       " is waiting for the steps that run and "
                                       "cancels them in 11s (--grace)"),
                          HasSubstr("cancels them in 2s (--grace)")));
  said.clear();
  server = Start("ps");
  const auto worker = Start("worker");
  const std::string unwanted = Register(ps_, "s", SendingGraph(PsToWorker()));
  EXPECT_TRUE(ps_.Run("s", unwanted, 8)->Wait().ok());
  server->Stop(std::chrono::seconds(5), say);
  EXPECT_THAT(said, ElementsAre(absl::StrCat(
                        kPs,
                        " is waiting for other tasks to fetch what its steps "
                        "have produced, and ends without that in 4s "
                        "(--grace)")));
  said.clear();
  worker->Stop(std::chrono::seconds(5), say);  // The worker runs no step.
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(ServerTest, GivesLargerTicketsThanTheProcessBefore) {
  auto server = Start("ps");
  const int64_t first = Ticket();
  EXPECT_GT(Ticket(), first);
  const int64_t last = Ticket();
  server.reset();
  server = Start("ps");
  EXPECT_GT(Ticket(), last);
}

// The process before has ended the session, so nobody would end the new one.
TEST_F(ServerTest, MakesNoSessionThatTheProcessBeforeWasAskedFor) {
  auto server = Start("ps");
  pb::CreateWorkerSessionRequest request;
  request.set_session_handle("s");
  request.set_request_id(5);
  request.set_ticket(Ticket());
  pb::CreateWorkerSessionResponse response;
  EXPECT_TRUE(ps_.Call(methods::kCreateWorkerSession, request, response).ok());
  DeleteSession(ps_, "s");
  server.reset();
  server = Start("ps");
  const absl::Status late =
      ps_.Call(methods::kCreateWorkerSession, request, response);
  EXPECT_EQ(late.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(late.message(),
              HasSubstr(absl::StrCat(kPs, " has been restarted since")));
  EXPECT_EQ(server->counters().sessions, 0u);
  request.set_request_id(6);
  request.set_ticket(Ticket());
  EXPECT_TRUE(ps_.Call(methods::kCreateWorkerSession, request, response).ok());
  DeleteSession(ps_, "s");
}

// Blocks the threads that make plans, until the test calls Release.
class HeldPlans final : public PlanObserver {
 public:
  void OnPlan(const PlanView&) override {
    MutexLock lock(mutex_);
    ++num_held_;
    while (!is_released_) released_.Wait(mutex_);
  }
  int num_held() {
    MutexLock lock(mutex_);
    return num_held_;
  }
  void Release() {
    MutexLock lock(mutex_);
    is_released_ = true;
    released_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar released_;
  int num_held_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_released_ ABSL_GUARDED_BY(mutex_) = false;
};

// A RunGraph call has arrived, but it still waits for a thread when Stop makes
// the running steps fail. The step of this call must fail, too.
TEST_F(ServerTest, StoppingItFailsWhatBeginsMeanwhile) {
  HeldPlans plans;
  ServerOptions options = Options("ps");
  options.plan_observer = &plans;
  auto server = Server::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string graph = Register(ps_, "s", absl::Substitute(kDequeue, kPs));
  const std::string nothing =
      Register(ps_, "n", absl::Substitute(kNothing, kPs));
  GraphBuilder b;
  std::vector<std::string> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(op::NoOp(b).name());
  pb::CreateSessionRequest create;
  create.mutable_config()->add_device_filters("/job:ps");
  ASSERT_TRUE(ExportGraphDef(*b.Build(), *create.mutable_graph_def()).ok());
  pb::CreateSessionResponse session;
  ASSERT_TRUE(ps_.Call(methods::kCreateSession, create, session).ok());
  std::vector<std::shared_ptr<StartedCall>> steps;
  for (const std::string& node : nodes) {
    pb::RunStepRequest step;
    step.set_session_handle(session.session_handle());
    step.add_target(node);
    steps.push_back(ps_.Start(methods::kRunStep, step));
  }
  ASSERT_TRUE(Eventually([&] { return plans.num_held() == 4; }));
  pb::RunGraphRequest run;
  run.set_session_handle("s");
  run.set_create_worker_session_called(true);
  run.set_graph_handle(graph);
  run.set_step_id(7);
  // The unknown field makes the message too large to be read on the transport's
  // thread.
  run.GetReflection()->MutableUnknownFields(&run)->AddLengthDelimited(
      1900, std::string(100'000, 'x'));
  const auto call = ps_.Start(methods::kRunGraph, run);
  clock_.Settle();
  std::vector<std::string> said;
  Thread stop("stop", [&] {
    (*server)->Stop(
        std::chrono::nanoseconds(0),
        [&said](absl::string_view message) { said.emplace_back(message); });
  });
  int64_t step = 100;
  EXPECT_TRUE(Eventually([&] {
    return absl::IsUnavailable(ps_.Run("n", nothing, ++step)->Wait().status());
  }));
  clock_.Advance(std::chrono::seconds(1));
  plans.Release();
  EXPECT_EQ(call->Wait().status().code(), absl::StatusCode::kUnavailable);
  stop.Join();
  EXPECT_THAT(said, ElementsAre(HasSubstr("has cancelled the steps that run")));
  for (const auto& planned : steps) EXPECT_FALSE(planned->Wait().ok());
}

// A second task takes part in the step and has not begun its part yet.
TEST_F(ServerTest, StoppingItWaitsForStepsOfSeveralTasks) {
  const auto ps = Start("ps");
  const auto worker = Start("worker");
  const std::string send = Register(ps_, "s", SendingGraph(PsToWorker()));
  const std::string recv = Register(worker_, "s", ReceivingGraph(PsToWorker()));
  const auto receiving = worker_.Run("s", recv, 7);
  WaitUntilRunning(*worker, 1);
  Thread stop("stop", [&] { worker->Stop(kForever); });
  clock_.Advance(std::chrono::seconds(30));
  EXPECT_FALSE(receiving->is_done());
  const absl::Status sent = ps_.Run("s", send, 7)->Wait().status();
  EXPECT_TRUE(sent.ok()) << sent;
  const absl::Status received = receiving->Wait().status();
  EXPECT_TRUE(received.ok()) << received;
  stop.Join();
}

// The sender's part of the step has ended, but the receiver's part has not.
TEST_F(ServerTest, StoppingItWaitsForTensorsThatPeersHaveStillToFetch) {
  const auto ps = Start("ps");
  const auto worker = Start("worker");
  const std::string send = Register(ps_, "s", SendingGraph(PsToWorker()));
  const std::string recv = Register(worker_, "s", ReceivingGraph(PsToWorker()));
  EXPECT_TRUE(ps_.Run("s", send, 7)->Wait().ok());
  std::atomic<bool> has_stopped{false};
  Thread stop("stop", [&] {
    ps->Stop(kForever);
    has_stopped = true;
  });
  clock_.Advance(std::chrono::seconds(30));
  EXPECT_FALSE(has_stopped);
  const absl::Status received = worker_.Run("s", recv, 7)->Wait().status();
  EXPECT_TRUE(received.ok()) << received;
  stop.Join();
  // If no peer fetches the tensors, Stop waits only until the grace period is
  // over.
  const auto again = Start("ps");
  const std::string unwanted = Register(ps_, "s", SendingGraph(PsToWorker()));
  EXPECT_TRUE(ps_.Run("s", unwanted, 8)->Wait().ok());
  const Clock::time_point begun = clock_.Now();
  again->Stop(std::chrono::milliseconds(50));
  EXPECT_EQ(clock_.Now() - begun, std::chrono::milliseconds(50));
}

TEST_F(ServerTest, EndsWhileClientsCallIt) {
  for (int i = 0; i < 10; ++i) {
    auto server = Start("ps");
    const std::string waiting =
        Register(ps_, "s", absl::Substitute(kDequeue, kPs));
    const std::string nothing =
        Register(ps_, "n", absl::Substitute(kNothing, kPs));
    std::vector<std::shared_ptr<StartedCall>> calls;
    Thread client("client", [&] {
      for (int64_t step = 1; step <= 100; step += 2) {
        calls.push_back(ps_.Run("s", waiting, step));
        calls.push_back(ps_.Run("n", nothing, step + 1));
      }
    });
    server.reset();
    client.Join();
    for (const auto& call : calls) call->Wait().status().IgnoreError();
  }
}

}  // namespace
}  // namespace leat::server_test
