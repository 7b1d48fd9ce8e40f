// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what the worker service answers about itself, its sessions and its
// graphs.
#include "leat/distributed/worker/worker.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/random_id.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/payload.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"
#include "leat/tests/distributed/worker/worker_fixture.h"
#include "leat/tests/distributed/worker/worker_testing.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::worker_test {
namespace {

using ::leat::testing::CallRef;
using ::leat::testing::RegisteredStep;
using ::leat::testing::RunAnswer;
using ::leat::testing::RunRequest;
using ::leat::testing::TestCluster;
using ::leat::testing::TestTask;
using ::leat::testing::WorkerTest;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kPs[] = "/job:ps/replica:0/task:0";
constexpr char kUnknownSession[] =
    "Session handle is not found: gone. Possibly this worker "
    "(\"/job:ps/replica:0/task:0\") just restarted. Or its master did not "
    "answer for too long (--master-silence).";

ServerLimits FewSessions() {
  ServerLimits limits;
  limits.max_worker_sessions = 2;
  limits.max_graphs = 2;
  limits.import.max_nodes = 20;
  return limits;
}

// ---------------------------------------------------------------------------
// Tests the answers to GetStatus, wrong messages and large messages.

TEST_F(WorkerTest, DescribesItsDevices) {
  const auto status = task.Call<pb::GetStatusResponse>(methods::kGetStatus,
                                                       pb::GetStatusRequest());
  ASSERT_TRUE(status.ok()) << status.status();
  ASSERT_EQ(status->device_attributes_size(), 2);
  const pb::DeviceAttributes& device = status->device_attributes(0);
  EXPECT_EQ(device.name(), absl::StrCat(kPs, "/device:CPU:0"));
  EXPECT_EQ(device.device_type(), "CPU");
  EXPECT_GT(device.memory_limit(), 0);
  EXPECT_EQ(device.incarnation(), task.incarnation());
  EXPECT_EQ(device.xla_global_id(), -1);
  EXPECT_EQ(status->leat().version(), kLeatPeerVersion);
  EXPECT_NE(status->leat().incarnation(), 0u);
}

TEST_F(WorkerTest, RefusesTasksOfAnotherVersion) {
  for (const int version : {0, kLeatPeerVersion - 1, kLeatPeerVersion + 1}) {
    pb::GetStatusRequest request;
    request.mutable_leat()->set_version(version);
    const auto status =
        task.Call<pb::GetStatusResponse>(methods::kGetStatus, request);
    EXPECT_EQ(status.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.status().message(),
                absl::StrCat("the caller speaks version ", version,
                             " of Leat's protocol between tasks, ", task.name(),
                             " version ", kLeatPeerVersion,
                             ": run the same Leat on both"));
  }
}

TEST_F(WorkerTest, AnswersWhatItHasNothingToSayTo) {
  EXPECT_TRUE(
      task.Call<pb::LoggingResponse>(methods::kLogging, pb::LoggingRequest())
          .ok());
  EXPECT_TRUE(task.Call<pb::MarkRecvFinishedResponse>(
                      methods::kMarkRecvFinished, pb::MarkRecvFinishedRequest())
                  .ok());
  EXPECT_EQ(
      task.Call<pb::TracingResponse>(methods::kTracing, pb::TracingRequest())
          .status()
          .code(),
      absl::StatusCode::kUnimplemented);
}

TEST_F(WorkerTest, RefusesBytesThatAreNoMessage) {
  for (const Method& method :
       {methods::kGetStatus, methods::kCreateWorkerSession,
        methods::kDeleteWorkerSession, methods::kRegisterGraph,
        methods::kDeregisterGraph, methods::kRunGraph, methods::kCleanupGraph,
        methods::kCleanupAll, methods::kRecvTensor, methods::kRecvTensors,
        methods::kMarkRecvFinished, methods::kLogging, methods::kTracing}) {
    Payload payload;
    payload.header = "\x0f";
    const absl::Status status =
        task.Start(method, std::move(payload))->Wait().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument)
        << method.path << ": " << status;
  }
}

// Large messages are not read on the thread of the transport. In this test,
// that is the calling thread.
TEST_F(WorkerTest, ReadsLargeMessagesElsewhere) {
  pb::CleanupAllRequest request;
  for (int i = 0; i < 20'000; ++i) request.add_container("container");
  EXPECT_TRUE(
      task.Call<pb::CleanupAllResponse>(methods::kCleanupAll, request).ok());
  pb::RunGraphRequest run = RunRequest("gone", "", 1);
  for (int i = 0; i < 20'000; ++i) run.add_recv_key("fetch");
  EXPECT_EQ(Run(run).status.message(), kUnknownSession);
}

class NarrowWorkerTest : public WorkerTest {
 protected:
  NarrowWorkerTest() : WorkerTest(NarrowTransport()) {}

  static ServerLimits NarrowTransport() {
    ServerLimits limits;
    limits.max_transport_bytes = 150'000;
    return limits;
  }
  // Returns a request of slightly more than 100,000 bytes.
  static pb::CleanupAllRequest LargeRequest() {
    pb::CleanupAllRequest request;
    request.add_container(std::string(100'000, 'c'));
    return request;
  }
};

TEST_F(NarrowWorkerTest, RefusesWhatItHasNoRoomToKeep) {
  Mutex held;
  held.Lock();
  task.blocking().Add([&] { const MutexLock wait(held); });
  const CallRef first = task.Start(methods::kCleanupAll, LargeRequest());
  const absl::Status second =
      task.Start(methods::kCleanupAll, LargeRequest())->Wait().status();
  EXPECT_EQ(second.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(second.message(), HasSubstr(kPs));
  EXPECT_FALSE(first->is_done());
  held.Unlock();
  EXPECT_TRUE(first->Wait().ok());
  // The first request still counts against the limit for a moment after its
  // reply.
  EXPECT_TRUE(leat::testing::Eventually([&] {
    return task.Start(methods::kCleanupAll, LargeRequest())->Wait().ok();
  }));
}

TEST_F(NarrowWorkerTest, RefusesMessagesThatParsedTakeTooMuch) {
  pb::CleanupAllRequest request;
  for (int i = 0; i < 40'000; ++i) request.add_container("");
  const absl::Status status =
      task.Start(methods::kCleanupAll, request)->Wait().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("CleanupAllRequest"));
}

// ---------------------------------------------------------------------------
// Tests sessions.

TEST_F(WorkerTest, CreatesASessionOnceAndDeletesAnyTwice) {
  EXPECT_TRUE(task.CreateSession("s").ok());
  EXPECT_TRUE(task.CreateSession("s").ok());
  EXPECT_EQ(task.worker().counters().sessions, 1u);
  EXPECT_TRUE(task.DeleteSession("s").ok());
  EXPECT_TRUE(task.DeleteSession("s").ok());
  EXPECT_EQ(task.worker().counters().sessions, 0u);
}

TEST_F(WorkerTest, RefusesSessionsThatItCannotHave) {
  const absl::Status empty = task.CreateSession("");
  EXPECT_EQ(empty.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(empty.message(), "Session must be non-empty.");
  EXPECT_EQ(task.CreateSession(std::string(2000, 's')).code(),
            absl::StatusCode::kInvalidArgument);
  pb::CreateWorkerSessionRequest request;
  request.set_session_handle("s");
  request.mutable_server_def()->mutable_cluster()->add_job()->set_name("ps");
  const absl::Status cluster_def =
      task.Call<pb::CreateWorkerSessionResponse>(methods::kCreateWorkerSession,
                                                 request)
          .status();
  EXPECT_EQ(cluster_def.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(cluster_def.message(), HasSubstr("'s'"));
}

TEST_F(WorkerTest, AnotherIncarnationOfAMasterEndsItsOldSessions) {
  EXPECT_TRUE(task.CreateSession("a", false, "/job:m/task:0", 1).ok());
  EXPECT_TRUE(task.CreateSession("b", false, "/job:m/task:0", 1).ok());
  EXPECT_TRUE(task.CreateSession("c", false, "/job:m/task:1", 5).ok());
  EXPECT_TRUE(task.CreateSession("d", false, "", 7).ok());
  EXPECT_EQ(task.worker().counters().sessions, 4u);
  const RegisteredStep step = [&] {
    EXPECT_TRUE(cluster[1].CreateSession("a").ok());
    return Doubles("a");
  }();
  EXPECT_TRUE(task.CreateSession("e", false, "/job:m/task:0", 2).ok());
  EXPECT_EQ(task.worker().counters().sessions, 3u);
  EXPECT_EQ(task.worker().counters().graphs, 0u);
  EXPECT_EQ(Run(Request(step)).status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(cluster[1].worker().counters().sessions, 1u);
  for (const char* session : {"c", "d", "e"}) {
    EXPECT_TRUE(task.DeleteSession(session).ok());
  }
  EXPECT_TRUE(cluster[1].DeleteSession("a").ok());
}

TEST_F(WorkerTest, ALateRequestOfADeadMasterEndsNothing) {
  const auto ticket = [this] {
    const auto status = task.Call<pb::GetStatusResponse>(
        methods::kGetStatus, pb::GetStatusRequest());
    EXPECT_TRUE(status.ok()) << status.status();
    return status.ok() ? status->leat().ticket() : 0;
  };
  const auto create = [this](const std::string& handle, int64_t incarnation,
                             int64_t with) {
    pb::CreateWorkerSessionRequest request;
    request.set_session_handle(handle);
    request.set_master_task("/job:m/task:0");
    request.set_master_incarnation(incarnation);
    request.set_ticket(with);
    return task
        .Call<pb::CreateWorkerSessionResponse>(methods::kCreateWorkerSession,
                                               request)
        .status();
  };
  const int64_t of_dead = ticket();
  EXPECT_GT(of_dead, 0);
  EXPECT_TRUE(create("live", 2, ticket()).ok());
  const absl::Status late = create("late", 1, of_dead);
  EXPECT_EQ(late.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(late.message(), HasSubstr("'/job:m/task:0' has been restarted"));
  // Requests of one process may arrive in another order than they were sent in.
  EXPECT_TRUE(create("other", 2, of_dead).ok());
  EXPECT_EQ(task.worker().counters().sessions, 2u);
  // A ticket that the task has not given yet counts as the latest ticket that
  // the task has given.
  EXPECT_TRUE(create("false", 3, INT64_MAX).ok());
  EXPECT_EQ(task.worker().counters().sessions, 1u);
  EXPECT_TRUE(create("next", 4, ticket()).ok());
  EXPECT_EQ(task.worker().counters().sessions, 1u);
  EXPECT_TRUE(task.DeleteSession("next").ok());
}

TEST_F(WorkerTest, DoesWhatIsSentTwiceOnce) {
  pb::CreateWorkerSessionRequest create;
  create.set_session_handle("s");
  create.set_request_id(5);
  EXPECT_TRUE(task.Call<pb::CreateWorkerSessionResponse>(
                      methods::kCreateWorkerSession, create)
                  .ok());
  EXPECT_TRUE(task.DeleteSession("s").ok());
  const absl::Status again = task.Call<pb::CreateWorkerSessionResponse>(
                                     methods::kCreateWorkerSession, create)
                                 .status();
  EXPECT_EQ(again.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(again.message(), HasSubstr("received twice"));

  pb::RegisterGraphRequest graph;
  graph.set_request_id(5);
  const auto registered =
      task.Call<pb::RegisterGraphResponse>(methods::kRegisterGraph, graph);
  ASSERT_TRUE(registered.ok()) << registered.status();
  EXPECT_EQ(task.Call<pb::RegisterGraphResponse>(methods::kRegisterGraph, graph)
                .status()
                .code(),
            absl::StatusCode::kAborted);
  EXPECT_EQ(task.worker().counters().graphs, 1u);
  EXPECT_TRUE(task.Deregister("", registered->graph_handle()).ok());
}

class FewRequestIdsTest : public WorkerTest {
 protected:
  FewRequestIdsTest() : WorkerTest(TwoRequestIds()) {}

  static ServerLimits TwoRequestIds() {
    ServerLimits limits;
    limits.max_request_ids = 2;
    return limits;
  }
};

TEST_F(FewRequestIdsTest, RemembersSoManyRequestsOfEachMethod) {
  const int64_t step_id = RandomStepId();
  // A call with a new id fails too, but with another error.
  const std::vector<std::function<absl::Status(int64_t)>> calls = {
      [this](int64_t id) {
        pb::CreateWorkerSessionRequest request;
        request.set_request_id(id);
        return task
            .Call<pb::CreateWorkerSessionResponse>(
                methods::kCreateWorkerSession, request)
            .status();
      },
      [this](int64_t id) {
        pb::RegisterGraphRequest request;
        request.set_session_handle("gone");
        request.set_create_worker_session_called(true);
        request.set_request_id(id);
        return task
            .Call<pb::RegisterGraphResponse>(methods::kRegisterGraph, request)
            .status();
      },
      [this, step_id](int64_t id) {
        pb::RunGraphRequest request = RunRequest("gone", "graph", step_id);
        request.set_request_id(id);
        return Run(request).status;
      },
      [this, step_id](int64_t id) {
        return Recv("nonsense", step_id, id)->Wait().status();
      }};
  for (size_t i = 0; i < calls.size(); ++i) {
    const auto is_new = [&](int64_t id) {
      const absl::Status status = calls[i](id);
      EXPECT_FALSE(status.ok()) << i;
      return !absl::StrContains(status.message(), "received twice");
    };
    EXPECT_TRUE(is_new(1)) << i;
    EXPECT_TRUE(is_new(2)) << i;
    EXPECT_FALSE(is_new(1)) << i;
    EXPECT_FALSE(is_new(2)) << i;
    EXPECT_TRUE(is_new(3)) << i;
    EXPECT_TRUE(is_new(1)) << i;
    EXPECT_FALSE(is_new(3)) << i;
  }
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

// ---------------------------------------------------------------------------
// Tests graphs.

TEST_F(WorkerTest, SessionsThatAreGoneAreAbortedInTensorFlowsWords) {
  for (const absl::Status& status :
       {task.Register("gone", pb::GraphDef()).status(),
        task.Deregister("gone", "graph"),
        [&] {
          pb::RunGraphRequest request = RunRequest("gone", "graph", 1);
          request.set_store_errors_in_response_body(false);
          return Run(request).status;
        }(),
        Run(RunRequest("gone", "graph", 1)).status}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
    EXPECT_EQ(status.message(), kUnknownSession);
    EXPECT_TRUE(status.GetPayload(kWorkerPossiblyRestartedPayload).has_value());
  }
}

TEST_F(WorkerTest, GraphsThatAreGoneAreAbortedInTensorFlowsWords) {
  EXPECT_EQ(task.Deregister("", "graph").message(),
            "Graph handle is not found: graph. Possibly, this worker just "
            "restarted.");
  const absl::Status status = Run(RunRequest("", "graph", 1)).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(status.message(), "Graph handle is not found: graph");
}

TEST_F(WorkerTest, AGraphThatNobodyWaitsForIsNotKept) {
  const auto call = std::make_shared<leat::testing::DirectCall>();
  call->Cancel();
  pb::RegisterGraphRequest request;
  *request.mutable_graph_def() = ParseGraph(NodeText("x", "NoOp", {}, OnPs()));
  task.Serve(methods::kRegisterGraph, ToPayload(request), call);
  EXPECT_EQ(call->Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(task.worker().counters().graphs, 0u);
}

TEST_F(WorkerTest, TasksThatAGraphReceivesOfAreMet) {
  using Kind = PeerTraffic::Kind;
  GraphBuilder b;
  const Output x = [&b] {
    const Scope worker = b.OnDevice("/job:worker/cpu:0");
    return b.Placeholder<float>("x") + 1.0f;
  }();
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Output y = x * 2.0f;
  EXPECT_EQ(task.KindOf(cluster[1].name()), Kind::kUnknown);
  const RegisteredStep step =
      Register("", b, {.feeds = {"x"}, .fetches = {y.name()}});
  ASSERT_EQ(step.parts.size(), 2u);
  EXPECT_TRUE(leat::testing::Eventually(
      [this] { return task.KindOf(cluster[1].name()) == Kind::kLeat; }));
  EXPECT_EQ(cluster[1].KindOf(task.name()), Kind::kUnknown);
  cluster.Deregister(step);
}

TEST_F(WorkerTest, HandlesOfGraphsAreOfTheirSession) {
  ASSERT_TRUE(cluster.CreateSession("a").ok());
  ASSERT_TRUE(cluster.CreateSession("b").ok());
  const RegisteredStep step = Doubles("a");
  EXPECT_EQ(step.parts[0].graph.size(), 32u);
  EXPECT_EQ(task.Deregister("b", step.parts[0].graph).code(),
            absl::StatusCode::kAborted);
  EXPECT_EQ(Run(RunRequest("b", step.parts[0].graph, 1)).status.code(),
            absl::StatusCode::kAborted);
  cluster.DeleteSession("a");
  cluster.DeleteSession("b");
}

TEST_F(WorkerTest, RefusesGraphsThatAreNotForIt) {
  const absl::Status nowhere = RegisterText(NodeText("a", "NoOp"));
  EXPECT_EQ(nowhere.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(nowhere.message(), "Node 'a' is missing a device specification");
  for (const char* device :
       {"/job:ps", "/device:CPU:0", "/job:ps/replica:0/task:0/device:CPU:7",
        "/job:worker/replica:0/task:0/device:CPU:0", "nonsense"}) {
    const absl::Status elsewhere = RegisterText(
        NodeText("a", "NoOp", {}, absl::StrCat("device: \"", device, "\" ")));
    EXPECT_EQ(elsewhere.code(), absl::StatusCode::kInvalidArgument) << device;
    EXPECT_THAT(elsewhere.message(), HasSubstr("'a'"));
    EXPECT_THAT(elsewhere.message(), HasSubstr(device));
    if (std::string(device) == "nonsense") continue;
    EXPECT_THAT(elsewhere.message(),
                HasSubstr(absl::StrCat("is not a device of ", kPs)));
  }
  const absl::Status unknown = RegisterText(NodeText("a", "Frob", {}, OnPs()));
  EXPECT_THAT(unknown.message(), HasSubstr("Frob"));
  const absl::Status argument = RegisterText(
      NodeText("a", "_Arg", {}, OnPs() + Float() + Attr("index", "i: 0")));
  EXPECT_EQ(argument.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(argument.message(), HasSubstr("'a'"));
  const std::string elsewhere =
      absl::StrCat("s: \"", cluster[1].device(), "\"");
  const absl::Status fed_elsewhere = RegisterText(NodeText(
      "a", "_Recv", {},
      OnPs() + Attr("tensor_type", "type: DT_FLOAT") +
          Attr("tensor_name", "s: \"x\"") + Attr("send_device", elsewhere) +
          Attr("recv_device", elsewhere) +
          Attr("send_device_incarnation", "i: 1") +
          Attr("client_terminated", "b: true")));
  EXPECT_EQ(fed_elsewhere.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(task.worker().counters().graphs, 0u);
}

TEST_F(WorkerTest, LegacyNamesOfItsDevicesAreItsDevices) {
  const auto graph = task.Register(
      "", ParseGraph(NodeText("a", "NoOp", {},
                              "device: \"/job:ps/replica:0/task:0/cpu:1\" ")));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(Run(RunRequest("", *graph, 1)).status.ok());
  EXPECT_TRUE(task.Deregister("", *graph).ok());
}

class LimitedWorkerTest : public WorkerTest {
 protected:
  LimitedWorkerTest() : WorkerTest(FewSessions()) {}
};

TEST_F(LimitedWorkerTest, KeepsSoManySessionsAndGraphs) {
  EXPECT_TRUE(task.CreateSession("a").ok());
  EXPECT_TRUE(task.CreateSession("b").ok());
  const absl::Status third = task.CreateSession("c");
  EXPECT_EQ(third.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(third.message(),
              AllOf(HasSubstr(kPs), HasSubstr("(--max-worker-sessions)")));
  EXPECT_TRUE(task.Register("a", pb::GraphDef()).ok());
  EXPECT_TRUE(task.Register("a", pb::GraphDef()).ok());
  const absl::Status full = task.Register("a", pb::GraphDef()).status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(full.message(), HasSubstr("(--max-graphs)"));
  EXPECT_TRUE(task.Register("b", pb::GraphDef()).ok());
  EXPECT_TRUE(task.DeleteSession("a").ok());
  EXPECT_TRUE(task.CreateSession("c").ok());
  EXPECT_TRUE(task.DeleteSession("b").ok());
  EXPECT_TRUE(task.DeleteSession("c").ok());
}

TEST_F(LimitedWorkerTest, KeepsTheLimitsOfGraphs) {
  std::string nodes;
  for (int i = 0; i < 21; ++i) {
    nodes += NodeText(absl::StrCat("n", i), "NoOp", {}, OnPs());
  }
  EXPECT_EQ(RegisterText(nodes).code(), absl::StatusCode::kResourceExhausted);
}

class SmallConstantsTest : public WorkerTest {
 protected:
  SmallConstantsTest() : WorkerTest(SmallConstants()) {}

  static ServerLimits SmallConstants() {
    ServerLimits limits;
    limits.import.max_outputs = 3;
    limits.import.max_attr_bytes = 400;
    limits.import.max_total_attr_bytes = 900;
    return limits;
  }
  // Registers constants c0, c1 and so on. Constant i has sizes[i] elements of 4
  // bytes each.
  absl::Status RegisterConstants(const std::vector<int>& sizes) {
    std::string text;
    for (size_t i = 0; i < sizes.size(); ++i) {
      text += NodeText(
          absl::StrCat("c", i), "Const", {},
          OnPs() + Attr("dtype", "type: DT_FLOAT") +
              Attr("value", absl::StrCat("tensor { dtype: DT_FLOAT "
                                         "tensor_shape { dim { size: ",
                                         sizes[i], " } } float_val: 1 }")));
    }
    const auto graph = task.Register("", ParseGraph(text));
    if (!graph.ok()) return graph.status();
    return task.Deregister("", *graph);
  }
  void ExpectRefused(const std::vector<int>& sizes, const std::string& node,
                     const std::string& why) {
    const absl::Status status = RegisterConstants(sizes);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(
        std::string(status.message()),
        AllOf(HasSubstr(absl::StrCat("node '", node, "'")), HasSubstr(why)));
  }
};

TEST_F(SmallConstantsTest, LimitsOutputsAndConstantsByName) {
  EXPECT_EQ(RegisterConstants({1, 1, 1}), absl::OkStatus());
  ExpectRefused({1, 1, 1, 1}, "c3",
                "has 4 outputs; the limit is 3 (max_graph_outputs)");
  EXPECT_EQ(RegisterConstants({100, 100}), absl::OkStatus());
  ExpectRefused({100, 101}, "c1",
                "404 bytes, above the limit of 400 (max_attr_bytes)");
  ExpectRefused({100, 100, 26}, "c2",
                "104 bytes, above the limit of 100 (what is left of "
                "max_total_attr_bytes)");
  EXPECT_EQ(RegisterConstants({100, 100, 25}), absl::OkStatus());
}

}  // namespace
}  // namespace leat::worker_test
