// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the status that servers report about themselves. The tests run steps
// and then check that the status describes these steps.
#include "leat/distributed/server/status_service.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/shown_status.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/payload.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/status.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/distributed/server/edge_graphs.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/task_client.h"

namespace leat::status_service_test {
namespace {

using ::testing::AllOf;
using testing::Eventually;
using ::testing::Ge;
using ::testing::HasSubstr;
using testing::InProcessCluster;
using testing::kEdgeBytes;
using ::testing::Le;
using ::testing::Not;
using testing::ReceivingGraph;
using testing::SendingGraph;
using testing::SimulatedClock;
using testing::StartedCall;
using testing::TaskClient;

const TaskId kPs = {"ps", 0};
const TaskId kWorker = {"worker", 0};
constexpr char kPsName[] = "/job:ps/replica:0/task:0";
constexpr char kWorkerName[] = "/job:worker/replica:0/task:0";
constexpr char kHandle[] = "0123456789abcdef0123456789abcdef";

// In these graphs, $0 stands for the name of the task.
constexpr char kNothing[] =
    R"(node { name: "n" op: "NoOp" device: "$0/device:CPU:0" })";
constexpr char kDequeue[] = R"(
  node { name: "q" op: "FIFOQueueV2" device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
  node { name: "dequeue" op: "QueueDequeueV2" input: "q"
         device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
)";
// Is an upper bound on the size in bytes of a message without its tensors.
constexpr int64_t kFewBytes = 300;

class StatusServiceTest : public ::testing::Test {
 protected:
  static pb::TaskStatusResponse StatusOf(TaskClient& task,
                                         absl::Duration min_age = {}) {
    pb::TaskStatusRequest request;
    request.set_min_age_us(absl::ToInt64Microseconds(min_age));
    pb::TaskStatusResponse status;
    const absl::Status called =
        task.Call(methods::kTaskStatus, request, status);
    EXPECT_TRUE(called.ok()) << called;
    return status;
  }
  // Returns the traffic of a task with one peer, or zeros if there is none.
  static pb::PeerTrafficStatus Traffic(const pb::TaskStatusResponse& status,
                                       const std::string& peer) {
    for (const pb::PeerTrafficStatus& traffic : status.peers()) {
      if (traffic.task() == peer) return traffic;
    }
    return {};
  }
  static std::string Register(TaskClient& task, const std::string& session,
                              const std::string& graph) {
    const auto handle = task.Register(session, graph);
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.value_or("");
  }
  // Waits until the worker knows the status of the ps. The worker asks for this
  // status as soon as it gets a graph that receives tensors from the ps.
  void AwaitMeeting() {
    EXPECT_TRUE(Eventually([&] {
      const auto traffic = Traffic(StatusOf(worker_), kPsName);
      return traffic.calls() > 0 && traffic.heard_us() >= 0;
    }));
  }
  testing::Edge PsToWorker() {
    return {.sender = kPsName,
            .sender_incarnation = ps_.Incarnation(),
            .receiver = kWorkerName};
  }
  std::string EdgeKey() {
    return RendezvousKey{
        .send_device = absl::StrCat(kPsName, "/device:CPU:0"),
        .send_incarnation = ps_.Incarnation(),
        .recv_device = absl::StrCat(kWorkerName, "/device:CPU:0"),
        .tensor_name = "edge"}
        .ToString();
  }
  std::shared_ptr<Session> NewSession(GraphBuilder& b) {
    auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto session = cluster_.NewSession(*graph, kWorker);
    EXPECT_TRUE(session.ok()) << session.status();
    return *session;
  }
  static void ExpectOk(const std::shared_ptr<StartedCall>& call) {
    const absl::Status status = call->Wait().status();
    EXPECT_TRUE(status.ok()) << status;
  }

  SimulatedClock clock_;
  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}}};
  const std::unique_ptr<Transport> transport_ =
      *cluster_.transports().Create("in-process");
  TaskClient ps_{*transport_, cluster_.Address(kPs)};
  TaskClient worker_{*transport_, cluster_.Address(kWorker)};
};

TEST_F(StatusServiceTest, TellsOfATaskThatHasDoneNothing) {
  const pb::TaskStatusResponse status = StatusOf(ps_);
  EXPECT_EQ(status.task(), kPsName);
  pb::GetStatusResponse worker_status;
  ASSERT_TRUE(
      ps_.Call(methods::kGetStatus, pb::GetStatusRequest(), worker_status)
          .ok());
  EXPECT_EQ(status.incarnation(), worker_status.leat().incarnation());
  ASSERT_EQ(status.devices_size(), 1);
  EXPECT_EQ(status.devices(0).incarnation(), ps_.Incarnation());
  EXPECT_GT(status.devices(0).memory_limit(), 0);
  EXPECT_GT(status.resident_bytes(), 1 << 20);
  EXPECT_EQ(status.steps().running() + status.steps().succeeded() +
                status.steps().failed(),
            0);
  EXPECT_EQ(status.num_worker_sessions(), 0);
  EXPECT_EQ(status.num_client_sessions(), 0);
  EXPECT_EQ(status.num_waiting_recvs(), 0);
  ASSERT_EQ(status.peers_size(), 1);
  EXPECT_EQ(status.num_peers(), 1);
  const pb::PeerTrafficStatus& peer = status.peers(0);
  EXPECT_EQ(peer.task(), kWorkerName);
  EXPECT_EQ(peer.address(), cluster_.Address(kWorker));
  EXPECT_EQ(peer.kind(), pb::PeerTrafficStatus::UNKNOWN_KIND);
  EXPECT_EQ(peer.state(), pb::PeerTrafficStatus::UNKNOWN_STATE);
  EXPECT_EQ(peer.heard_us(), -1);
  EXPECT_EQ(peer.calls() + peer.calls_served() + peer.bytes_sent() +
                peer.bytes_received(),
            0);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(StatusOf(ps_).uptime_us(), status.uptime_us() + 1'000'000);
}

TEST_F(StatusServiceTest, CountsStepsOfAMastersSession) {
  const std::string graph =
      Register(ps_, kHandle, absl::Substitute(kNothing, kPsName));
  for (int64_t step = 1; step <= 3; ++step) {
    ExpectOk(ps_.Run(kHandle, graph, step));
  }
  pb::CleanupGraphRequest cleanup;
  cleanup.set_step_id(3);
  ExpectOk(ps_.Start(methods::kCleanupGraph, cleanup));
  EXPECT_FALSE(ps_.Run(kHandle, graph, 3)->Wait().ok());
  const pb::TaskStatusResponse status = StatusOf(ps_);
  ASSERT_EQ(status.worker_sessions_size(), 1);
  const pb::WorkerSessionStatus& session = status.worker_sessions(0);
  for (const pb::StepTotals& steps : {status.steps(), session.steps()}) {
    EXPECT_EQ(steps.succeeded(), 3);
    EXPECT_EQ(steps.failed(), 1);
    EXPECT_EQ(steps.running(), 0);
  }
  EXPECT_EQ(status.num_worker_sessions(), 1);
  EXPECT_EQ(session.num_graphs(), 1);
  EXPECT_EQ(status.num_open_steps(), 2);  // The steps are not cleaned up.
  EXPECT_FALSE(session.isolated());
  const int64_t idle = session.idle_us();
  clock_.Advance(std::chrono::milliseconds(5));
  EXPECT_EQ(StatusOf(ps_).worker_sessions(0).idle_us(), idle + 5000);
}

TEST_F(StatusServiceTest, ListsWhatRuns) {
  const std::string graph =
      Register(ps_, kHandle, absl::Substitute(kDequeue, kPsName));
  const auto call = ps_.Run(kHandle, graph, 0x123456789abcde);
  ASSERT_TRUE(
      Eventually([&] { return StatusOf(ps_).running_steps_size() == 1; }));
  clock_.Advance(std::chrono::milliseconds(30));
  const pb::TaskStatusResponse status = StatusOf(ps_);
  EXPECT_EQ(status.steps().running(), 1);
  ASSERT_EQ(status.worker_sessions_size(), 1);
  EXPECT_EQ(status.worker_sessions(0).steps().running(), 1);
  EXPECT_EQ(status.worker_sessions(0).idle_us(), 0);
  ASSERT_EQ(status.running_steps_size(), 1);
  EXPECT_EQ(status.running_steps(0).age_us(), 30'000);
  EXPECT_EQ(status.running_steps(0).step(), 0xbcde);
  EXPECT_EQ(status.running_steps(0).session(), "01234567");
  const pb::TaskStatusResponse later = StatusOf(ps_, absl::Hours(1));
  EXPECT_EQ(later.running_steps_size(), 0);
  EXPECT_EQ(later.steps().running(), 1);
  call->Cancel();
  EXPECT_FALSE(call->Wait().ok());
  EXPECT_TRUE(Eventually([&] { return StatusOf(ps_).steps().failed() == 1; }));
  EXPECT_EQ(StatusOf(ps_).steps().running(), 0);
}

TEST_F(StatusServiceTest, CountsATensorOnBothSides) {
  const std::string send = Register(ps_, kHandle, SendingGraph(PsToWorker()));
  const std::string recv =
      Register(worker_, kHandle, ReceivingGraph(PsToWorker()));
  AwaitMeeting();
  const pb::PeerTrafficStatus met = Traffic(StatusOf(worker_), kPsName);
  for (int64_t step = 1; step <= 5; ++step) {
    const auto received = worker_.Run(kHandle, recv, step);
    ExpectOk(ps_.Run(kHandle, send, step));
    ExpectOk(received);
  }
  const pb::TaskStatusResponse worker = StatusOf(worker_);
  const pb::TaskStatusResponse ps = StatusOf(ps_);
  const pb::PeerTrafficStatus asked = Traffic(worker, kPsName);
  const pb::PeerTrafficStatus answered = Traffic(ps, kWorkerName);
  EXPECT_EQ(asked.calls(), met.calls() + 5);
  EXPECT_EQ(asked.calls_under_way(), 0);
  EXPECT_EQ(asked.calls_served(), 0);
  EXPECT_EQ(asked.state(), pb::PeerTrafficStatus::REACHABLE);
  EXPECT_GE(asked.heard_us(), 0);
  EXPECT_EQ(answered.calls(), 0);
  EXPECT_EQ(answered.calls_served(), 5);
  EXPECT_THAT(asked.bytes_received(),
              AllOf(Ge(5 * kEdgeBytes), Le(5 * (kEdgeBytes + kFewBytes))));
  EXPECT_THAT(asked.bytes_sent(), AllOf(Ge(5 * 50), Le(5 * kFewBytes)));
  EXPECT_EQ(answered.bytes_sent(),
            asked.bytes_received() - met.bytes_received());
  EXPECT_EQ(answered.bytes_received(), asked.bytes_sent() - met.bytes_sent());
  // One peer has no name. It is the caller of RunGraph, which is not a task of
  // the cluster.
  for (const pb::TaskStatusResponse& status : {ps, worker}) {
    const pb::PeerTrafficStatus others = Traffic(status, "");
    EXPECT_EQ(others.calls_served(), 5);
    EXPECT_THAT(others.bytes_received(), AllOf(Ge(5 * 50), Le(5 * kFewBytes)));
    EXPECT_LE(others.bytes_sent(), 5 * kFewBytes);
    EXPECT_EQ(status.num_peers(), 2);
  }
  EXPECT_EQ(ps.num_waiting_recvs() + worker.num_waiting_recvs(), 0);
}

// Tasks of Leat fetch a large tensor from each other in chunks.
TEST_F(StatusServiceTest, CountsEveryByteOfALargeTensor) {
  constexpr int64_t kBytes = int64_t{16} << 20;
  GraphBuilder b;
  Output large;
  {
    auto ps = b.OnDevice("/job:ps/task:0");
    large = op::Fill(b.Const(Tensor::Vector<int32_t>({kBytes / 4})),
                     b.Placeholder<float>("x", Shape{}));
  }
  auto worker = b.OnDevice("/job:worker/task:0");
  const Output sum = op::Sum(large, b.Const(0));
  const auto session = NewSession(b);
  for (int i = 0; i < 3; ++i) {
    const auto fetched = session->Run(
        {.feeds = {{"x", Tensor::Scalar<float>(1)}}, .fetches = {sum}});
    ASSERT_TRUE(fetched.ok()) << fetched.status();
  }
  const pb::PeerTrafficStatus asked = Traffic(StatusOf(worker_), kPsName);
  const pb::PeerTrafficStatus answered = Traffic(StatusOf(ps_), kWorkerName);
  EXPECT_THAT(asked.bytes_received(),
              AllOf(Ge(3 * kBytes), Le(3 * kBytes + kBytes / 8)));
  EXPECT_THAT(answered.bytes_sent(),
              AllOf(Ge(3 * kBytes), Le(3 * kBytes + kBytes / 8)));
}

TEST_F(StatusServiceTest, CountsStepsOfAClientsSession) {
  GraphBuilder b;
  Output number;
  {
    auto ps = b.OnDevice("/job:ps/task:0");
    number = b.Placeholder<float>("x", Shape{}) + 1.0f;
  }
  auto worker = b.OnDevice("/job:worker/task:0");
  const Output doubled = number * 2.0f;
  const auto session = NewSession(b);
  const auto run = [&] {
    return session
        ->Run(
            {.feeds = {{"x", Tensor::Scalar<float>(1)}}, .fetches = {doubled}})
        .status();
  };
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(run().ok());
  const pb::TaskStatusResponse master = StatusOf(worker_);
  ASSERT_EQ(master.client_sessions_size(), 1);
  EXPECT_EQ(master.num_client_sessions(), 1);
  const pb::ClientSessionStatus& client = master.client_sessions(0);
  EXPECT_EQ(client.steps().succeeded(), 4);
  EXPECT_EQ(client.steps().running(), 0);
  EXPECT_EQ(client.num_tasks(), 2);
  EXPECT_GE(client.num_plans(), 1);
  EXPECT_EQ(client.handle().size(), 8u);
  const pb::TaskStatusResponse ps = StatusOf(ps_);
  ASSERT_EQ(ps.worker_sessions_size(), 1);
  EXPECT_EQ(ps.worker_sessions(0).handle(), client.handle());
  EXPECT_EQ(ps.worker_sessions(0).master_task(), kWorkerName);
  EXPECT_EQ(ps.worker_sessions(0).steps().succeeded(), 4);
  EXPECT_EQ(ps.num_client_sessions(), 0);
  const pb::PeerTrafficStatus asked = Traffic(master, kPsName);
  EXPECT_EQ(asked.kind(), pb::PeerTrafficStatus::LEAT);
  EXPECT_EQ(asked.state(), pb::PeerTrafficStatus::REACHABLE);
  EXPECT_GE(asked.calls(), 8);  // RunGraph and RecvTensor of every step
  EXPECT_EQ(Traffic(ps, kWorkerName).calls_served(), 8);
  ASSERT_TRUE(session->Close().ok());
  EXPECT_EQ(StatusOf(worker_).num_client_sessions(), 0);
}

TEST_F(StatusServiceTest, ShowsARecvThatNobodySends) {
  const std::string send = Register(ps_, kHandle, SendingGraph(PsToWorker()));
  const std::string recv =
      Register(worker_, kHandle, ReceivingGraph(PsToWorker()));
  constexpr int64_t kStep = 0x1000abcd;
  const auto call = worker_.Run(kHandle, recv, kStep);
  const auto waits = [](TaskClient& task) {
    return [&task] { return StatusOf(task).waiting_recvs_size() == 1; };
  };
  ASSERT_TRUE(Eventually(waits(worker_)));
  ASSERT_TRUE(Eventually(waits(ps_)));
  clock_.Advance(std::chrono::milliseconds(50));
  for (TaskClient* const task : {&worker_, &ps_}) {
    const pb::TaskStatusResponse status = StatusOf(*task);
    ASSERT_EQ(status.waiting_recvs_size(), 1);
    EXPECT_EQ(status.num_waiting_recvs(), 1);
    const pb::WaitingRecvStatus& waiting = status.waiting_recvs(0);
    EXPECT_EQ(waiting.key(), EdgeKey());
    EXPECT_EQ(waiting.sender(), kPsName);
    EXPECT_EQ(waiting.receiver(), kWorkerName);
    EXPECT_EQ(waiting.step(), 0xabcd);
    EXPECT_EQ(waiting.age_us(), 50'000);
    const pb::TaskStatusResponse old = StatusOf(*task, absl::Hours(1));
    EXPECT_EQ(old.waiting_recvs_size(), 0);
    EXPECT_EQ(old.num_waiting_recvs(), 1);
  }
  EXPECT_EQ(Traffic(StatusOf(worker_), kPsName).calls_under_way(), 1);
  ExpectOk(ps_.Run(kHandle, send, kStep));
  ExpectOk(call);
  EXPECT_EQ(StatusOf(worker_).num_waiting_recvs(), 0);
  EXPECT_EQ(StatusOf(ps_).num_waiting_recvs(), 0);
  EXPECT_EQ(Traffic(StatusOf(worker_), kPsName).calls_under_way(), 0);
}

TEST_F(StatusServiceTest, ForgetsRecvsOfStepsThatEnd) {
  const std::string recv =
      Register(worker_, kHandle, ReceivingGraph(PsToWorker()));
  const auto call = worker_.Run(kHandle, recv, 9);
  ASSERT_TRUE(
      Eventually([&] { return StatusOf(ps_).num_waiting_recvs() == 1; }));
  call->Cancel();
  EXPECT_FALSE(call->Wait().ok());
  for (TaskClient* const task : {&worker_, &ps_}) {
    EXPECT_TRUE(
        Eventually([&] { return StatusOf(*task).num_waiting_recvs() == 0; }));
  }
}

TEST_F(StatusServiceTest, RevealsNoHandleAndNoStep) {
  constexpr int64_t kStep = 0x1a2b3c4d5e6f70;
  const std::string graph =
      Register(worker_, kHandle, ReceivingGraph(PsToWorker()));
  ASSERT_TRUE(worker_.Register("short", ReceivingGraph(PsToWorker())).ok());
  ASSERT_TRUE(worker_.Register("s", ReceivingGraph(PsToWorker())).ok());
  const auto call = worker_.Run(kHandle, graph, kStep);
  ASSERT_TRUE(
      Eventually([&] { return StatusOf(ps_).num_waiting_recvs() == 1; }));
  for (TaskClient* const task : {&worker_, &ps_}) {
    const std::string text = StatusOf(*task).DebugString();
    EXPECT_THAT(text, Not(HasSubstr("012345678")));
    EXPECT_THAT(text, Not(HasSubstr("short")));
    EXPECT_THAT(text, Not(HasSubstr(graph.substr(0, 8))));
    EXPECT_THAT(text, Not(HasSubstr(absl::StrCat(kStep))));
    EXPECT_THAT(text, HasSubstr(absl::StrCat("step: ", 0x6f70)));
  }
  EXPECT_THAT(StatusOf(worker_).DebugString(), HasSubstr("\"01234567\""));
  EXPECT_THAT(StatusOf(worker_).DebugString(), HasSubstr("\"sh\""));
  call->Cancel();
  EXPECT_FALSE(call->Wait().ok());
}

TEST_F(StatusServiceTest, TellsOfAPeerThatIsGoneAndThatIsBack) {
  const std::string recv =
      Register(worker_, kHandle, ReceivingGraph(PsToWorker()));
  AwaitMeeting();
  cluster_.Kill(kPs);
  EXPECT_FALSE(worker_.Run(kHandle, recv, 1)->Wait().ok());
  pb::PeerTrafficStatus peer = Traffic(StatusOf(worker_), kPsName);
  EXPECT_EQ(peer.state(), pb::PeerTrafficStatus::UNREACHABLE);
  EXPECT_THAT(peer.error(), HasSubstr(cluster_.Address(kPs)));
  EXPECT_EQ(peer.calls_under_way(), 0);
  cluster_.Start(kPs);
  // The ps answers with an error about its new incarnation. This is an answer,
  // so the ps is reachable.
  EXPECT_FALSE(worker_.Run(kHandle, recv, 2)->Wait().ok());
  peer = Traffic(StatusOf(worker_), kPsName);
  EXPECT_EQ(peer.state(), pb::PeerTrafficStatus::REACHABLE);
  EXPECT_EQ(peer.error(), "");
  EXPECT_GE(peer.heard_us(), 0);
}

TEST_F(StatusServiceTest, ListsAHundredOfEachAndCountsTheRest) {
  const auto listed = static_cast<int>(StatusListing().max_listed);
  const int all = listed + 20;
  std::string graph;
  for (int i = 0; i < all; ++i) {
    graph = Register(ps_, absl::StrFormat("%04d-session", i),
                     absl::Substitute(kDequeue, kPsName));
    clock_.Advance(std::chrono::milliseconds(1));
  }
  const std::string last = absl::StrFormat("%04d-session", all - 1);
  std::vector<std::shared_ptr<StartedCall>> runs, recvs;
  for (int i = 0; i < all; ++i) {
    runs.push_back(ps_.Run(last, graph, 1000 + i));
    pb::RecvTensorRequest request;
    request.set_step_id(1000);
    request.set_rendezvous_key(
        RendezvousKey{.send_device = absl::StrCat(kPsName, "/device:CPU:0"),
                      .send_incarnation = ps_.Incarnation(),
                      .recv_device = absl::StrCat(kWorkerName, "/device:CPU:0"),
                      .tensor_name = absl::StrCat("edge_", i)}
            .ToString());
    recvs.push_back(ps_.Start(methods::kRecvTensor, request));
    clock_.Advance(std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(Eventually([&] {
    const pb::TaskStatusResponse status = StatusOf(ps_);
    return status.steps().running() == all && status.num_waiting_recvs() == all;
  }));
  const pb::TaskStatusResponse status = StatusOf(ps_);
  EXPECT_EQ(status.num_worker_sessions(), all);
  ASSERT_EQ(status.worker_sessions_size(), listed);
  EXPECT_EQ(status.worker_sessions(0).handle(), last.substr(0, 6));
  EXPECT_EQ(status.running_steps_size(), listed);
  ASSERT_EQ(status.waiting_recvs_size(), listed);
  for (int i = 1; i < listed; ++i) {
    EXPECT_LE(status.worker_sessions(i - 1).idle_us(),
              status.worker_sessions(i).idle_us());
    EXPECT_GE(status.running_steps(i - 1).age_us(),
              status.running_steps(i).age_us());
    EXPECT_GE(status.waiting_recvs(i - 1).age_us(),
              status.waiting_recvs(i).age_us());
  }
  // The calls are cancelled, but their step keeps running.
  for (const auto& call : recvs) call->Cancel();
  for (const auto& call : recvs) EXPECT_FALSE(call->Wait().ok());
  EXPECT_TRUE(
      Eventually([&] { return StatusOf(ps_).num_waiting_recvs() == 0; }));
  EXPECT_EQ(StatusOf(ps_).steps().running(), all);
  for (const auto& call : runs) call->Cancel();
  for (const auto& call : runs) EXPECT_FALSE(call->Wait().ok());
}

TEST_F(StatusServiceTest, RefusesWhatIsNoRequest) {
  pb::RecvTensorRequest request;
  request.set_rendezvous_key(std::string(100'000, 'x'));
  const absl::Status large =
      ps_.Start(methods::kTaskStatus, request)->Wait().status();
  EXPECT_EQ(large.code(), absl::StatusCode::kInvalidArgument) << large;
  EXPECT_THAT(std::string(large.message()),
              AllOf(HasSubstr("TaskStatusRequest has"),
                    HasSubstr("bytes, more than 65536")));
  Payload garbage;
  garbage.header = "\xff\xff\xff";  // a varint without an end
  const absl::Status malformed =
      ps_.Start(methods::kTaskStatus, std::move(garbage))->Wait().status();
  EXPECT_EQ(malformed.code(), absl::StatusCode::kInvalidArgument) << malformed;
  EXPECT_THAT(std::string(malformed.message()),
              HasSubstr("the TaskStatusRequest is malformed"));
  pb::TaskStatusRequest odd;
  for (const int64_t age : {INT64_MIN, INT64_MAX}) {
    odd.set_min_age_us(age);
    pb::TaskStatusResponse status;
    EXPECT_TRUE(ps_.Call(methods::kTaskStatus, odd, status).ok());
  }
}

TEST_F(StatusServiceTest, MayBeAskedWhileStepsRun) {
  GraphBuilder b;
  Output number;
  {
    auto ps = b.OnDevice("/job:ps/task:0");
    number = b.Placeholder<float>("x", Shape{}) + 1.0f;
  }
  auto worker = b.OnDevice("/job:worker/task:0");
  const Output doubled = number * 2.0f;
  const auto session = NewSession(b);
  std::atomic<bool> done{false};
  std::vector<Thread> askers;
  for (TaskClient* const task : {&ps_, &worker_}) {
    askers.emplace_back("asks", [task, &done] {
      int64_t steps = 0;
      while (!done) {
        const pb::TaskStatusResponse status = StatusOf(*task);
        EXPECT_GE(status.steps().succeeded(), steps);
        EXPECT_GE(status.steps().running(), 0);
        steps = status.steps().succeeded();
      }
    });
  }
  constexpr int kSteps = 200;
  for (int i = 0; i < kSteps; ++i) {
    const auto fetched = session->Run(
        {.feeds = {{"x", Tensor::Scalar<float>(1)}}, .fetches = {doubled}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
  }
  done = true;
  for (Thread& asker : askers) asker.Join();
  EXPECT_EQ(StatusOf(ps_).steps().succeeded(), kSteps);
  EXPECT_EQ(StatusOf(worker_).steps().succeeded(), kSteps);
}

}  // namespace
}  // namespace leat::status_service_test
