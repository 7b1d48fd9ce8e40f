// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What each method of the worker service answers.
#include "leat/distributed/worker.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/core/rendezvous.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/recv_tensor.h"
#include "leat/graph/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"
#include "leat/tests/distributed/worker_testing.h"
#include "leat/tests/testing/graph_text.h"

namespace leat {
namespace {

using ::leat::testing::CallRef;
using ::leat::testing::RegisteredStep;
using ::leat::testing::RunAnswer;
using ::leat::testing::RunRequest;
using ::leat::testing::TestCluster;
using ::leat::testing::TestTask;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kPs[] = "/job:ps/replica:0/task:0";
constexpr char kUnknownSession[] =
    "Session handle is not found: gone. Possibly this worker "
    "(\"/job:ps/replica:0/task:0\") just restarted.";

ServerLimits FewSessions() {
  ServerLimits limits;
  limits.max_worker_sessions = 2;
  limits.max_graphs = 2;
  limits.import.max_nodes = 20;
  return limits;
}

class WorkerTest : public ::testing::Test {
 protected:
  explicit WorkerTest(const ServerLimits& limits = {})
      : cluster({"ps", "worker"}, limits), task(cluster[0]) {}

  void TearDown() override { cluster.ExpectNothingLeft(); }

  // y = x * 2, of floats, on the ps.
  RegisteredStep Doubles(const std::string& session) {
    GraphBuilder b;
    const Scope ps = b.OnDevice("/job:ps/cpu:0");
    const Output x = b.Placeholder<float>("x");
    const Output y = x * 2.0f;
    return Register(session, b, {.feeds = {"x"}, .fetches = {y.name()}});
  }
  RegisteredStep Register(const std::string& session, GraphBuilder& b,
                          StepSignature signature) {
    const auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto step = cluster.Register(session, *graph, std::move(signature));
    EXPECT_TRUE(step.ok()) << step.status();
    return *std::move(step);
  }

  // A call for Doubles, without what it feeds and fetches.
  static pb::RunGraphRequest Request(const RegisteredStep& step) {
    return RunRequest(step.session, step.parts[0].graph, RandomStepId());
  }
  RunAnswer Run(const pb::RunGraphRequest& request, WireTensors feeds = {}) {
    RunAnswer answer = leat::testing::WaitForRun(
        *task.Start(methods::kRunGraph, request, std::move(feeds)));
    EXPECT_TRUE(task.CleanupGraph(request.step_id()).ok());
    return answer;
  }

  // A node of that text on the ps, its answer to RegisterGraph.
  absl::Status RegisterText(const std::string& text) {
    return task.Register("", ParseGraph(text)).status();
  }
  std::string OnPs() const {
    return absl::StrCat("device: \"", task.device(), "\" ");
  }

  CallRef Recv(const std::string& key, int64_t step_id,
               int64_t request_id = 0) {
    return task.Start(methods::kRecvTensor,
                      EncodeRecvTensorRequest(step_id, key, request_id));
  }
  // Of a tensor that the ps makes for the worker.
  std::string KeyForWorker(const std::string& tensor_name) {
    return RendezvousKey{.send_device = task.device(),
                         .send_incarnation = task.incarnation(),
                         .recv_device = cluster[1].device(),
                         .tensor_name = tensor_name}
        .ToString();
  }

  TestCluster cluster;
  TestTask& task;
};

// ---------------------------------------------------------------------------
// The task

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
        methods::kCleanupAll, methods::kRecvTensor, methods::kMarkRecvFinished,
        methods::kLogging, methods::kTracing}) {
    Payload payload;
    payload.header = "\x0f";
    const absl::Status status =
        task.Start(method, std::move(payload))->Wait().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument)
        << method.path << ": " << status;
  }
}

// Not on the thread of a transport, which is the test's here.
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
  // Of 100,000 bytes and some.
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
  // Behind the first one's reply.
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
// Sessions

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

// ---------------------------------------------------------------------------
// Graphs

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
  EXPECT_THAT(third.message(), HasSubstr(kPs));
  EXPECT_TRUE(task.Register("a", pb::GraphDef()).ok());
  EXPECT_TRUE(task.Register("a", pb::GraphDef()).ok());
  EXPECT_EQ(task.Register("a", pb::GraphDef()).status().code(),
            absl::StatusCode::kResourceExhausted);
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

// ---------------------------------------------------------------------------
// Steps

TEST_F(WorkerTest, RunsWhatItHasRegistered) {
  ASSERT_TRUE(cluster.CreateSession("s").ok());
  const RegisteredStep step = Doubles("s");
  ASSERT_EQ(step.parts.size(), 1u);
  for (const float x : {1.0f, 2.5f}) {
    const auto y = cluster.Run(step, RandomStepId(), {Tensor::Scalar(x)});
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)[0].scalar<float>(), 2 * x);
  }
  cluster.Deregister(step);
  cluster.DeleteSession("s");
}

TEST_F(WorkerTest, FetchesInTheOrderOfTheCall) {
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Output x = b.Placeholder<float>("x");
  const Output twice = x * 2.0f, thrice = x * 3.0f;
  const RegisteredStep step = Register(
      "", b, {.feeds = {"x"}, .fetches = {twice.name(), thrice.name()}});
  const WireTensors feeds = {{task.Key("x"), Tensor::Scalar(1.0f)}};
  pb::RunGraphRequest request = Request(step);
  request.add_recv_key(task.Key(thrice.name()));
  request.add_recv_key(task.Key(twice.name()));
  const RunAnswer both = Run(request, feeds);
  ASSERT_TRUE(both.status.ok()) << both.status;
  ASSERT_EQ(both.tensors.size(), 2u);
  EXPECT_EQ(both.tensors[0].name, task.Key(thrice.name()));
  EXPECT_EQ(both.tensors[0].tensor.scalar<float>(), 3.0f);
  EXPECT_EQ(both.tensors[1].tensor.scalar<float>(), 2.0f);
  // What nobody asks for is not sent.
  const RunAnswer none = Run(Request(step), feeds);
  EXPECT_TRUE(none.status.ok()) << none.status;
  EXPECT_TRUE(none.tensors.empty());
  cluster.Deregister(step);
}

TEST_F(WorkerTest, RefusesFeedsAndFetchesAtOnce) {
  const RegisteredStep step = Doubles("");
  const std::string x = task.Key("x");
  const WireTensors good = {{x, Tensor::Scalar(1.0f)}};
  struct Case {
    WireTensors feeds;
    std::vector<std::string> fetches;
    const char* expected;
  };
  const std::string y = step.parts[0].boundary.fetches[0].key;
  for (const Case& c : std::vector<Case>{
           {{}, {y}, "was not given"},
           {{{x, Tensor::Scalar(1)}}, {y}, "is float but the tensor is int32"},
           {{{x, Tensor()}}, {y}, "is float but"},
           {{{x, Tensor::Scalar(1.0f)}, {x, Tensor::Scalar(1.0f)}},
            {y},
            "was given twice"},
           {{{x, Tensor::Scalar(1.0f)}, {"z", Tensor::Scalar(1.0f)}},
            {y},
            "'z' is not one that the graph takes"},
           {good, {"z"}, "'z' is not one that the graph gives"},
           {good, {x}, "is not one that the graph gives"},
           {good, {y, y}, "was asked for twice"}}) {
    SCOPED_TRACE(c.expected);
    pb::RunGraphRequest request = Request(step);
    for (const std::string& fetch : c.fetches) request.add_recv_key(fetch);
    const absl::Status status = Run(request, c.feeds).status;
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(c.expected));
    EXPECT_FALSE(IsDerived(status));
  }
  cluster.Deregister(step);
}

TEST_F(WorkerTest, RunsACallOnce) {
  const RegisteredStep step = Doubles("");
  const WireTensors feeds = {{task.Key("x"), Tensor::Scalar(1.0f)}};
  pb::RunGraphRequest request = Request(step);
  EXPECT_TRUE(Run(request, feeds).status.ok());
  request.set_step_id(RandomStepId());
  const RunAnswer again = Run(request, feeds);
  EXPECT_EQ(again.status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(again.status.message(),
              HasSubstr("The same RunGraph (Worker) request was received "
                        "twice."));
  EXPECT_NE(again.response.status_code(), 0);
  cluster.Deregister(step);
}

TEST_F(WorkerTest, RunsNoStepThatHasEnded) {
  const RegisteredStep step = Doubles("");
  const WireTensors feeds = {{task.Key("x"), Tensor::Scalar(1.0f)}};
  pb::RunGraphRequest request = Request(step);
  EXPECT_TRUE(Run(request, feeds).status.ok());
  request.set_request_id(0);
  const absl::Status late = Run(request, feeds).status;
  EXPECT_EQ(late.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(late));
  cluster.Deregister(step);
}

TEST_F(WorkerTest, DoesNoPartialRuns) {
  const RegisteredStep step = Doubles("");
  pb::RunGraphRequest request = Request(step);
  request.set_is_partial(true);
  EXPECT_EQ(Run(request).status.code(), absl::StatusCode::kUnimplemented);
  cluster.Deregister(step);
}

TEST_F(WorkerTest, ErrorsAreWhereTheCallWantsThem) {
  const RegisteredStep step = Doubles("");
  pb::RunGraphRequest request = Request(step);
  const auto in_response = task.Start(methods::kRunGraph, request)->Wait();
  ASSERT_TRUE(in_response.ok()) << in_response.status();
  pb::RunGraphResponse response;
  ASSERT_TRUE(response.ParseFromString(in_response->header));
  EXPECT_EQ(response.status_code(), 3);
  EXPECT_THAT(response.status_error_message(), HasSubstr("was not given"));
  request = Request(step);
  request.set_store_errors_in_response_body(false);
  EXPECT_EQ(task.Start(methods::kRunGraph, request)->Wait().status().code(),
            absl::StatusCode::kInvalidArgument);
  cluster.Deregister(step);
}

TEST_F(WorkerTest, ADeadFetchIsAnError) {
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Output x = b.Placeholder<float>("x");
  const auto ways = op::Switch(x, b.Const(true));
  const RegisteredStep step =
      Register("", b, {.feeds = {"x"}, .fetches = {ways.output_false.name()}});
  const auto y = cluster.Run(step, RandomStepId(), {Tensor::Scalar(1.0f)});
  EXPECT_EQ(y.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(y.status().message(), HasSubstr(ways.output_false.name()));
  cluster.Deregister(step);
}

TEST_F(WorkerTest, TellsWhatRanWhereWhenAsked) {
  const RegisteredStep step = Doubles("");
  pb::RunGraphRequest request = Request(step);
  request.mutable_exec_opts()->set_record_timeline(true);
  request.mutable_exec_opts()->set_record_partition_graphs(true);
  const RunAnswer answer =
      Run(request, {{task.Key("x"), Tensor::Scalar(1.0f)}});
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  ASSERT_EQ(answer.response.step_stats().dev_stats_size(), 1);
  const pb::DeviceStepStats& stats = answer.response.step_stats().dev_stats(0);
  EXPECT_EQ(stats.device(), task.device());
  EXPECT_GE(stats.node_stats_size(), 3);
  ASSERT_EQ(answer.response.partition_graph_size(), 1);
  EXPECT_GE(answer.response.partition_graph(0).node_size(), 4);
  EXPECT_GT(answer.response.leat().received_us(), 0);
  EXPECT_GE(answer.response.leat().replied_us(),
            answer.response.leat().received_us());
  cluster.Deregister(step);
}

TEST_F(WorkerTest, VariablesAreSharedUnlessTheSessionIsIsolated) {
  ASSERT_TRUE(cluster.CreateSession("a").ok());
  ASSERT_TRUE(cluster.CreateSession("b").ok());
  ASSERT_TRUE(cluster.CreateSession("alone", /*isolated=*/true).ok());
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Variable v = b.Variable("v", b.Const(5.0f));
  std::map<std::string, RegisteredStep> init, read;
  for (const char* session : {"a", "b", "alone"}) {
    init[session] = Register(session, b, {.targets = {v.initializer().name()}});
    read[session] = Register(session, b, {.fetches = {v.value().name()}});
  }
  const auto run = [&](const RegisteredStep& step) {
    return cluster.Run(step, RandomStepId(), {});
  };
  const auto too_early = run(read["b"]);
  EXPECT_EQ(too_early.status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(run(init["a"]).ok());
  const auto shared = run(read["b"]);
  ASSERT_TRUE(shared.ok()) << shared.status();
  EXPECT_EQ((*shared)[0].scalar<float>(), 5.0f);
  EXPECT_EQ(run(read["alone"]).status().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(run(init["alone"]).ok());

  pb::CleanupAllRequest request;
  ASSERT_TRUE(
      task.Call<pb::CleanupAllResponse>(methods::kCleanupAll, request).ok());
  EXPECT_EQ(run(read["a"]).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(run(read["alone"]).ok());
  for (const char* session : {"a", "b", "alone"}) {
    cluster.DeleteSession(session);
  }
}

TEST_F(WorkerTest, CleanupAllForgetsTheContainersOfTheCall) {
  GraphBuilder b;
  const Scope ps = b.OnDevice("/job:ps/cpu:0");
  const Variable v = b.Variable("v", b.Const(5.0f), {.container = "mine"});
  const RegisteredStep init =
      Register("", b, {.targets = {v.initializer().name()}});
  const RegisteredStep read = Register("", b, {.fetches = {v.value().name()}});
  ASSERT_TRUE(cluster.Run(init, RandomStepId(), {}).ok());
  const auto clean = [&](const std::string& container) {
    pb::CleanupAllRequest request;
    request.add_container(container);
    EXPECT_TRUE(
        task.Call<pb::CleanupAllResponse>(methods::kCleanupAll, request).ok());
  };
  clean("ps");
  EXPECT_TRUE(cluster.Run(read, RandomStepId(), {}).ok());
  clean("mine");
  EXPECT_FALSE(cluster.Run(read, RandomStepId(), {}).ok());
  cluster.Deregister(init);
  cluster.Deregister(read);
}

// ---------------------------------------------------------------------------
// Tensors for peers

TEST_F(WorkerTest, RefusesTensorsThatItDoesNotMake) {
  const auto error = [&](const RendezvousKey& key) {
    const int64_t step_id = RandomStepId();
    const absl::Status status = Recv(key.ToString(), step_id)->Wait().status();
    EXPECT_TRUE(task.CleanupGraph(step_id).ok());
    return status;
  };
  RendezvousKey key{.send_device = task.device(),
                    .send_incarnation = task.incarnation() ^ 1,
                    .recv_device = cluster[1].device(),
                    .tensor_name = "edge_1_x"};
  const absl::Status restarted = error(key);
  EXPECT_EQ(restarted.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(
      restarted.GetPayload(kWorkerPossiblyRestartedPayload).has_value());
  key.send_incarnation = task.incarnation();
  key.send_device = absl::StrCat(kPs, "/device:CPU:7");
  EXPECT_EQ(error(key).message(), "/device:CPU:7 unknown device.");
  const int64_t step_id = RandomStepId();
  const absl::Status malformed = Recv("nonsense", step_id)->Wait().status();
  EXPECT_EQ(malformed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(malformed.message(), "Invalid  rendezvous key: nonsense");
  EXPECT_EQ(Recv(std::string(100'000, 'x'), step_id)->Wait().status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(WorkerTest, AsksForATensorAreServedOnce) {
  const int64_t step_id = RandomStepId();
  const CallRef first = Recv(KeyForWorker("x"), step_id, 9);
  const absl::Status again =
      Recv(KeyForWorker("x"), step_id, 9)->Wait().status();
  EXPECT_EQ(again.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(again.message(), HasSubstr("received twice"));
  EXPECT_FALSE(first->is_done());
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  EXPECT_EQ(first->Wait().status().code(), absl::StatusCode::kAborted);
}

TEST_F(WorkerTest, WhoAsksForATensorIsFreedByTheEndOfTheStep) {
  const int64_t step_id = RandomStepId();
  const CallRef early = Recv(KeyForWorker("x"), step_id);
  EXPECT_FALSE(early->is_done());
  EXPECT_EQ(task.steps().num_steps(), 1u);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
  const absl::Status ended = early->Wait().status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(ended));
  // And who comes later.
  const absl::Status late = Recv(KeyForWorker("x"), step_id)->Wait().status();
  EXPECT_EQ(late.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(late));
}

TEST_F(WorkerTest, WhoAsksForATensorMayGiveUp) {
  const int64_t step_id = RandomStepId();
  const CallRef given_up = Recv(KeyForWorker("x"), step_id);
  EXPECT_FALSE(given_up->is_done());
  given_up->Cancel();
  const absl::Status status = given_up->Wait().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(status));
  // What still waits for the tensor keeps nothing of the call.
  EXPECT_EQ(given_up.use_count(), 1);
  EXPECT_EQ(given_up->context.use_count(), 1);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

TEST_F(WorkerTest, WhoHasGivenUpIsNotServed) {
  const int64_t step_id = RandomStepId();
  const auto call = std::make_shared<leat::testing::DirectCall>();
  call->Cancel();
  task.Serve(methods::kRecvTensor,
             EncodeRecvTensorRequest(step_id, KeyForWorker("x"), 0), call);
  EXPECT_EQ(call->Wait().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(task.CleanupGraph(step_id).ok());
}

// ---------------------------------------------------------------------------
// What tasks of Leat say beside

TEST_F(WorkerTest, AStepThatEndsAloneEndsWithItsReply) {
  const RegisteredStep step = Doubles("");
  const auto run = [&](bool ends_alone, int64_t cleanup) {
    pb::RunGraphRequest request = Request(step);
    request.mutable_leat()->set_ends_alone(ends_alone);
    if (cleanup != 0) request.mutable_leat()->add_cleanup_steps(cleanup);
    EXPECT_TRUE(leat::testing::WaitForRun(
                    *task.Start(methods::kRunGraph, request,
                                {{task.Key("x"), Tensor::Scalar(1.0f)}}))
                    .status.ok());
    return request.step_id();
  };
  run(/*ends_alone=*/true, 0);
  EXPECT_EQ(task.steps().num_steps(), 0u);
  const int64_t lingers = run(/*ends_alone=*/false, 0);
  EXPECT_EQ(task.steps().num_steps(), 1u);
  run(/*ends_alone=*/true, lingers);
  EXPECT_EQ(task.steps().num_steps(), 0u);
  cluster.Deregister(step);
}

}  // namespace
}  // namespace leat
