// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests a worker's steps while they run: how they end early, and how two tasks
// send each other tensors.
#include "leat/distributed/worker/worker_step.h"

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/random_id.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/worker/registered_graph.h"
#include "leat/distributed/worker/worker_session.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/distributed/worker/worker_testing.h"
#include "leat/tests/testing/busy_threads.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/graph_text.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::worker_step_test {
namespace {

using ::leat::testing::CallRef;
using ::leat::testing::Eventually;
using ::leat::testing::RegisteredStep;
using ::leat::testing::RunAnswer;
using ::leat::testing::RunRequest;
using ::leat::testing::SimulatedClock;
using ::leat::testing::TestCluster;
using ::leat::testing::TestTask;
using ::leat::testing::WaitForRun;
using ::testing::HasSubstr;

using std::chrono::milliseconds;
using Outputs = std::vector<Output>;

constexpr char kSession[] = "session";

class WorkerStepTest : public ::testing::Test {
 protected:
  WorkerStepTest() : cluster({"ps", "worker"}), ps(cluster[0]) {
    EXPECT_TRUE(cluster.CreateSession(kSession).ok());
  }
  void TearDown() override {
    cluster.DeleteSession(kSession);
    cluster.ExpectNothingLeft();
  }

  RegisteredStep Register(GraphBuilder& b, StepSignature signature) {
    const auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto step = cluster.Register(kSession, *graph, std::move(signature));
    EXPECT_TRUE(step.ok()) << step.status();
    return *std::move(step);
  }

  // Registers a step that waits on the ps for an element of an empty queue.
  RegisteredStep WaitsAtQueue() {
    GraphBuilder b;
    const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
    const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
    const Output taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
    return Register(b, {.fetches = {taken.name()}});
  }
  // Registers a graph that waits for a tensor that is never sent. Returns the
  // graph's handle.
  std::string WaitsForNobody() {
    const std::string text = NodeText(
        "waits", "_Recv", {},
        absl::StrCat(
            "device: \"", ps.device(), "\" ",
            Attr("tensor_type", "type: DT_FLOAT"),
            Attr("tensor_name", "s: \"edge_1_x\""),
            Attr("send_device", absl::StrCat("s: \"", ps.device(), "\"")),
            Attr("recv_device", absl::StrCat("s: \"", ps.device(), "\"")),
            Attr("send_device_incarnation",
                 absl::StrCat("i: ", static_cast<int64_t>(ps.incarnation())))));
    const auto graph = ps.Register(kSession, ParseGraph(text));
    EXPECT_TRUE(graph.ok()) << graph.status();
    return *graph;
  }

  // Runs a graph without feeds and fetches on the ps.
  CallRef Start(const std::string& graph, int64_t step_id,
                std::optional<milliseconds> timeout = {}) {
    return ps.Start(methods::kRunGraph, RunRequest(kSession, graph, step_id),
                    {}, timeout);
  }
  std::vector<std::string> WaitingGraphs() {
    return {WaitsForNobody(), WaitsAtQueue().parts[0].graph};
  }
  bool IsRunning(const CallRef& call) {
    clock.Advance(milliseconds(20));
    return !call->is_done() && ps.worker().counters().running == 1;
  }
  void ExpectEnded(const CallRef& call, int64_t step_id, absl::StatusCode code,
                   const std::string& text, bool is_derived) {
    const absl::Status status = WaitForRun(*call).status;
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(status.message(), HasSubstr(text));
    EXPECT_EQ(IsDerived(status), is_derived) << status;
    EXPECT_EQ(ps.worker().counters().running, 0u);
    // A step that has failed has ended, so peers need not wait for its cleanup.
    EXPECT_EQ(ps.steps().num_steps(), 0u);
    EXPECT_TRUE(ps.CleanupGraph(step_id).ok());
  }

  SimulatedClock clock;
  TestCluster cluster;
  TestTask& ps;
};

// ---------------------------------------------------------------------------
// Tests how steps end early.

TEST_F(WorkerStepTest, EndsWhenItsCallerGivesUp) {
  for (const std::string& graph : WaitingGraphs()) {
    const int64_t step_id = RandomStepId();
    const CallRef call = Start(graph, step_id);
    EXPECT_TRUE(IsRunning(call));
    call->Cancel();
    ExpectEnded(call, step_id, absl::StatusCode::kCancelled, "by its master",
                true);
  }
}

TEST_F(WorkerStepTest, DoesNotBeginForACallerWhoHasGivenUp) {
  const std::string graph = WaitsForNobody();
  const auto call = std::make_shared<leat::testing::DirectCall>();
  call->Cancel();
  Payload payload;
  const int64_t step_id = RandomStepId();
  payload.header = RunRequest(kSession, graph, step_id).SerializeAsString();
  ps.Serve(methods::kRunGraph, std::move(payload), call);
  ExpectEnded(call, step_id, absl::StatusCode::kCancelled, "before it began",
              true);
}

TEST_F(WorkerStepTest, EndsAtTheDeadlineOfItsCall) {
  for (const std::string& graph : WaitingGraphs()) {
    const int64_t step_id = RandomStepId();
    const Clock::time_point began = clock.Now();
    const CallRef call = Start(graph, step_id, milliseconds(50));
    ExpectEnded(call, step_id, absl::StatusCode::kDeadlineExceeded,
                absl::StrCat("step ", step_id), false);
    EXPECT_EQ(clock.Now() - began, milliseconds(50));
  }
}

TEST_F(WorkerStepTest, EndsWithItsSession) {
  std::vector<std::pair<CallRef, int64_t>> calls;
  for (const std::string& graph :
       {WaitsForNobody(), WaitsAtQueue().parts[0].graph}) {
    const int64_t step_id = RandomStepId();
    calls.emplace_back(Start(graph, step_id), step_id);
  }
  EXPECT_TRUE(
      Eventually([this] { return ps.worker().counters().running == 2; }));
  EXPECT_TRUE(ps.DeleteSession(kSession).ok());
  EXPECT_TRUE(Eventually([&calls] {
    return calls[0].first->is_done() && calls[1].first->is_done();
  }));
  for (const auto& [call, step_id] : calls) {
    ExpectEnded(call, step_id, absl::StatusCode::kAborted, "was deleted", true);
  }
}

TEST_F(WorkerStepTest, EndsWithTheSessionThatHasItsQueue) {
  ASSERT_TRUE(ps.CreateSession("alone", /*isolated=*/true).ok());
  ASSERT_TRUE(cluster[1].CreateSession("alone").ok());
  GraphBuilder b;
  const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
  const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
  const Output taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
  const auto step =
      cluster.Register("alone", *b.Build(), {.fetches = {taken.name()}});
  ASSERT_TRUE(step.ok()) << step.status();
  const int64_t step_id = RandomStepId();
  const CallRef call = ps.Start(
      methods::kRunGraph, RunRequest("alone", step->parts[0].graph, step_id));
  EXPECT_TRUE(IsRunning(call));
  EXPECT_TRUE(ps.DeleteSession("alone").ok());
  ExpectEnded(call, step_id, absl::StatusCode::kAborted, "was deleted", true);
  cluster.DeleteSession("alone");
}

TEST_F(WorkerStepTest, EndsWhenItsMasterIsAnotherProcess) {
  ASSERT_TRUE(ps.CreateSession("old", false, "/job:m/task:0", 1).ok());
  ASSERT_TRUE(ps.CreateSession("other", false, "/job:m/task:1", 1).ok());
  const std::string text =
      NodeText(
          "q", "FIFOQueueV2", {},
          absl::StrCat("device: \"", ps.device(), "\" ",
                       Attr("component_types", "list { type: [DT_FLOAT] }"))) +
      NodeText(
          "t", "QueueDequeueV2", {"q"},
          absl::StrCat("device: \"", ps.device(), "\" ",
                       Attr("component_types", "list { type: [DT_FLOAT] }")));
  std::map<std::string, CallRef> calls;
  std::map<std::string, int64_t> steps;
  for (const char* session : {"old", "other"}) {
    const auto graph = ps.Register(session, ParseGraph(text));
    ASSERT_TRUE(graph.ok()) << graph.status();
    steps[session] = RandomStepId();
    calls[session] = ps.Start(methods::kRunGraph,
                              RunRequest(session, *graph, steps[session]));
  }
  EXPECT_TRUE(ps.CreateSession("new", false, "/job:m/task:0", 2).ok());
  const absl::Status ended = WaitForRun(*calls["old"]).status;
  EXPECT_EQ(ended.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(ended.message(), HasSubstr("its master was restarted"));
  EXPECT_TRUE(IsRunning(calls["other"]));
  calls["other"]->Cancel();
  EXPECT_FALSE(WaitForRun(*calls["other"]).status.ok());
  for (const char* session : {"new", "other"}) {
    EXPECT_TRUE(ps.DeleteSession(session).ok());
  }
}

TEST_F(WorkerStepTest, EndsWithItsTask) {
  for (const std::string& graph : WaitingGraphs()) {
    const int64_t step_id = RandomStepId();
    const CallRef call = Start(graph, step_id);
    EXPECT_TRUE(IsRunning(call));
    ps.steps().FailRuns(absl::UnavailableError("the task is stopping"));
    ExpectEnded(call, step_id, absl::StatusCode::kUnavailable,
                "the task is stopping", false);
  }
}

TEST_F(WorkerStepTest, EndsWithItsCleanup) {
  for (const std::string& graph : WaitingGraphs()) {
    const int64_t step_id = RandomStepId();
    const CallRef call = Start(graph, step_id);
    EXPECT_TRUE(IsRunning(call));
    EXPECT_TRUE(ps.CleanupGraph(step_id).ok());
    ExpectEnded(call, step_id, absl::StatusCode::kAborted, "Cleanup", true);
  }
}

TEST_F(WorkerStepTest, OutlivesTheRegistrationOfItsGraph) {
  GraphBuilder b;
  const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
  const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
  const Output x = b.Placeholder<float>("x");
  const Operation put = op::QueueEnqueueV2(queue, {x});
  const Output taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
  const RegisteredStep take = Register(b, {.fetches = {taken.name()}});
  const RegisteredStep give =
      Register(b, {.feeds = {"x"}, .targets = {put.name()}});
  const int64_t step_id = RandomStepId();
  const std::vector<CallRef> calls = cluster.Start(take, step_id, {});
  EXPECT_TRUE(IsRunning(calls[0]));
  cluster.Deregister(take);
  EXPECT_EQ(ps.worker().counters().graphs, 1u);
  ASSERT_TRUE(cluster.Run(give, RandomStepId(), {Tensor::Scalar(4.0f)}).ok());
  const auto value = cluster.Wait(take, step_id, calls);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ((*value)[0].scalar<float>(), 4.0f);
}

// Several events end each step at the same time, and any of them may come
// first.
TEST_F(WorkerStepTest, EndsOnceWhateverComesFirst) {
  const std::string graph = WaitsForNobody();
  for (int i = 0; i < 300; ++i) {
    const int64_t step_id = RandomStepId();
    const CallRef call = Start(graph, step_id, milliseconds(i % 3));
    const Thread cancels("cancels", [&] { call->Cancel(); });
    const Thread cleans("cleans",
                        [&] { EXPECT_TRUE(ps.CleanupGraph(step_id).ok()); });
    const Thread ends("ends", [&] {
      ps.steps().FailRuns(absl::UnavailableError("stopping"));
    });
    EXPECT_FALSE(WaitForRun(*call).status.ok());
  }
}

TEST_F(WorkerStepTest, NoStepOutlivesASessionThatIsDeletedWhileItBegins) {
  const std::string text =
      NodeText("a", "NoOp", {}, absl::StrCat("device: \"", ps.device(), "\" "));
  for (int i = 0; i < 100; ++i) {
    const std::string brief = absl::StrCat("brief", i);
    ASSERT_TRUE(ps.CreateSession(brief).ok());
    const auto graph = ps.Register(brief, ParseGraph(text));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const int64_t step_id = RandomStepId();
    Thread deletes("deletes",
                   [&] { EXPECT_TRUE(ps.DeleteSession(brief).ok()); });
    const RunAnswer answer = WaitForRun(
        *ps.Start(methods::kRunGraph, RunRequest(brief, *graph, step_id)));
    deletes.Join();
    if (!answer.status.ok()) {
      EXPECT_EQ(answer.status.code(), absl::StatusCode::kAborted);
    }
    EXPECT_EQ(ps.steps().num_steps(), 0u);
  }
}

// The worker finds the session for this step. Before the step begins, the
// session is deleted and its steps are ended.
TEST_F(WorkerStepTest, DoesNotBeginInASessionThatIsClosed) {
  const std::string text =
      NodeText("a", "NoOp", {}, absl::StrCat("device: \"", ps.device(), "\" "));
  const auto session =
      std::make_shared<WorkerSession>(WorkerSessionOptions{.handle = "closed"},
                                      ps.devices(), BuiltinKernels(), clock);
  const auto graph = RegisteredGraph::Create(ParseGraph(text), BuiltinOps(), {},
                                             ps.name(), session->runner());
  ASSERT_TRUE(graph.ok()) << graph.status();
  session->Close();
  TimerQueue timers("test-timers", clock);
  const testing::CallResult result;
  RunGraphCall call{.context = std::make_shared<CallContext>(),
                    .reply = result.Done()};
  call.request.set_step_id(RandomStepId());
  const WorkerEnvironment environment{.devices = &ps.devices(),
                                      .ops = &BuiltinOps(),
                                      .steps = &ps.steps(),
                                      .receiver = &ps.receiver(),
                                      .timers = &timers};
  WorkerStep::Run(environment, session, *graph, std::move(call));
  const absl::Status status = result.Take().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_THAT(status.message(), HasSubstr("has been deleted"));
  EXPECT_EQ(ps.steps().num_steps(), 0u);
  EXPECT_EQ(ps.steps().num_runs(), 0u);
}

// ---------------------------------------------------------------------------
// Tests steps whose feeds must be decoded before the step begins.

// A FakeFeed is a received feed that is not decoded yet.
class FakeFeed final : public PendingTensors {
 public:
  FakeFeed(int64_t bytes, std::string key, WorkQueue& compute,
           std::atomic<int>& on_pool, absl::Status status = {})
      : bytes_(bytes),
        key_(std::move(key)),
        compute_(compute),
        on_pool_(on_pool),
        status_(std::move(status)) {}

  int64_t bytes() const override { return bytes_; }
  bool IsQuick() const override { return bytes() <= kMaxInlineBytes; }
  absl::StatusOr<WireTensors> Decode(Allocator&, const VariantDecoders*,
                                     int64_t) override {
    on_pool_ += compute_.IsWorkerThread() ? 1 : 0;
    if (!status_.ok()) return status_;
    return WireTensors{{key_, Tensor::Scalar(1.0f)}};
  }

 private:
  const int64_t bytes_;
  const std::string key_;
  WorkQueue& compute_;
  std::atomic<int>& on_pool_;
  const absl::Status status_;
};

TEST_F(WorkerStepTest, DecodesLargeFeedsOnTheComputePool) {
  GraphBuilder b;
  const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
  const Output x = b.Placeholder<float>("x");
  const Output y = x * 2.0f;
  const RegisteredStep step =
      Register(b, {.feeds = {"x"}, .fetches = {y.name()}});
  std::atomic<int> on_pool{0};
  const auto run = [&](int64_t bytes, absl::Status status) {
    const int64_t step_id = RandomStepId();
    pb::RunGraphRequest request =
        RunRequest(kSession, step.parts[0].graph, step_id);
    request.add_recv_key(step.parts[0].boundary.fetches[0].key);
    Payload payload;
    payload.header = request.SerializeAsString();
    payload.pending = std::make_unique<FakeFeed>(bytes, ps.Key("x"),
                                                 ps.devices().compute_queue(),
                                                 on_pool, std::move(status));
    RunAnswer answer =
        WaitForRun(*ps.Start(methods::kRunGraph, std::move(payload)));
    EXPECT_TRUE(ps.CleanupGraph(step_id).ok());
    return answer;
  };
  const RunAnswer small = run(256 << 10, absl::OkStatus());
  ASSERT_TRUE(small.status.ok()) << small.status;
  EXPECT_EQ(on_pool, 0);
  const RunAnswer large = run((256 << 10) + 1, absl::OkStatus());
  ASSERT_TRUE(large.status.ok()) << large.status;
  EXPECT_EQ(large.tensors[0].tensor.scalar<float>(), 2.0f);
  EXPECT_EQ(on_pool, 1);
  const RunAnswer bad = run(1 << 20, absl::InvalidArgumentError("not so"));
  EXPECT_EQ(bad.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(bad.status.message(), "not so");
}

// A step that began after its session was deleted would never be ended.
TEST_F(WorkerStepTest, DoesNotBeginInASessionThatWasDeletedMeanwhile) {
  const std::string text =
      NodeText("a", "NoOp", {}, absl::StrCat("device: \"", ps.device(), "\" "));
  const auto graph = ps.Register(kSession, ParseGraph(text));
  ASSERT_TRUE(graph.ok()) << graph.status();
  WorkQueue& compute = ps.devices().compute_queue();
  leat::testing::BusyThreads busy(compute);
  std::atomic<int> on_pool{0};
  const int64_t step_id = RandomStepId();
  Payload payload;
  payload.header = RunRequest(kSession, *graph, step_id).SerializeAsString();
  payload.pending = std::make_unique<FakeFeed>(1 << 20, "x", compute, on_pool);
  const CallRef call = ps.Start(methods::kRunGraph, std::move(payload));
  EXPECT_TRUE(ps.DeleteSession(kSession).ok());
  busy.End();
  const absl::Status status = WaitForRun(*call).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  EXPECT_THAT(status.message(), HasSubstr("was deleted by its master"));
  EXPECT_EQ(on_pool, 0);
  EXPECT_EQ(ps.steps().num_steps(), 0u);
}

// ---------------------------------------------------------------------------
// Tests steps on two tasks.

TEST_F(WorkerStepTest, TasksGiveEachOtherTensors) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  Output y = x;
  for (int i = 0; i < 3; ++i) {
    const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
    y = y + 1.0f;
    const Scope on_worker = b.OnDevice("/job:worker/cpu:1");
    y = y * 2.0f;
  }
  const RegisteredStep step =
      Register(b, {.feeds = {"x"}, .fetches = {y.name()}});
  EXPECT_EQ(step.parts.size(), 2u);
  for (int i = 0; i < 20; ++i) {
    const auto value =
        cluster.Run(step, RandomStepId(), {Tensor::Scalar(1.0f)});
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ((*value)[0].scalar<float>(), 22.0f);
  }
}

TEST_F(WorkerStepTest, DeadTensorsTravelToo) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  const Output is_positive = op::Greater(x, 0.0f);
  const auto branch = [&](float factor) {
    return [&b, x, factor]() -> Outputs {
      const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
      return {x * factor};
    };
  };
  const Scope on_worker = b.OnDevice("/job:worker/cpu:0");
  const Output y = Cond(is_positive, branch(2.0f), branch(-3.0f))[0];
  const Output z = y + 1.0f;
  const RegisteredStep step =
      Register(b, {.feeds = {"x"}, .fetches = {z.name()}});
  EXPECT_EQ(step.parts.size(), 2u);
  for (const auto& [in, out] : std::map<float, float>{{4, 9}, {-4, 13}}) {
    const auto value = cluster.Run(step, RandomStepId(), {Tensor::Scalar(in)});
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ((*value)[0].scalar<float>(), out);
  }
}

TEST_F(WorkerStepTest, LoopsRunOverTwoTasks) {
  GraphBuilder b;
  const Output n = b.Placeholder<float>("n", Shape{});
  const Outputs ends = While(
      {n, b.Const(0.0f)},
      [&](absl::Span<const Output> v) {
        const Scope on_worker = b.OnDevice("/job:worker/cpu:0");
        return op::Greater(v[0], 0.0f);
      },
      [&](absl::Span<const Output> v) -> Outputs {
        Output sum;
        {
          const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
          sum = v[1] + v[0];
        }
        const Scope on_worker = b.OnDevice("/job:worker/cpu:1");
        return {v[0] - 1.0f, sum};
      });
  const Output y = op::Identity(ends[1]);
  const RegisteredStep step =
      Register(b, {.feeds = {"n"}, .fetches = {y.name()}});
  EXPECT_EQ(step.parts.size(), 2u);
  for (const float n_value : {0.0f, 1.0f, 30.0f}) {
    const auto value =
        cluster.Run(step, RandomStepId(), {Tensor::Scalar(n_value)});
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ((*value)[0].scalar<float>(), n_value * (n_value + 1) / 2);
  }
}

// The step fails on the ps. The worker's error is marked as derived, because
// the failure of the ps is its cause.
TEST_F(WorkerStepTest, AnErrorOfOneTaskEndsTheOther) {
  GraphBuilder b;
  const Output indices = b.Placeholder<int32_t>("i");
  Output rows;
  {
    const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
    rows = op::GatherV2(b.Const(Tensor::Vector<float>({1, 2})), indices,
                        b.Const(0));
  }
  const Scope on_worker = b.OnDevice("/job:worker/cpu:0");
  const Output y = rows * 2.0f;
  const RegisteredStep step =
      Register(b, {.feeds = {"i"}, .fetches = {y.name()}});
  ASSERT_EQ(step.parts.size(), 2u);
  const int64_t step_id = RandomStepId();
  const std::vector<CallRef> calls =
      cluster.Start(step, step_id, {Tensor::Vector<int32_t>({7})});
  for (size_t i = 0; i < 2; ++i) {
    const absl::Status status = WaitForRun(*calls[i]).status;
    EXPECT_FALSE(status.ok());
    const bool is_cause = step.parts[i].task == &ps;
    EXPECT_EQ(IsDerived(status), !is_cause) << status;
    if (is_cause) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
      EXPECT_THAT(status.message(), HasSubstr(rows.operation().name()));
    }
    EXPECT_TRUE(step.parts[i].task->CleanupGraph(step_id).ok());
  }
}

TEST_F(WorkerStepTest, WhoWaitsForATensorHearsOfWrongFeeds) {
  GraphBuilder b;
  Output y;
  {
    const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
    y = b.Placeholder<float>("x") * 2.0f;
  }
  const Scope on_worker = b.OnDevice("/job:worker/cpu:0");
  const Output z = y + 1.0f;
  const RegisteredStep step =
      Register(b, {.feeds = {"x"}, .fetches = {z.name()}});
  const auto wrong =
      cluster.Run(step, RandomStepId(), {Tensor::Scalar<int32_t>(1)});
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(wrong.status().message(), HasSubstr("is float but"));
}

TEST_F(WorkerStepTest, APeerMayComeFirst) {
  GraphBuilder b;
  Output y;
  {
    const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
    y = b.Placeholder<float>("x") * 2.0f;
  }
  const Scope on_worker = b.OnDevice("/job:worker/cpu:0");
  const Output z = y + 1.0f;
  const RegisteredStep step =
      Register(b, {.feeds = {"x"}, .fetches = {z.name()}});
  const int64_t step_id = RandomStepId();
  RegisteredStep first = step, second = step;
  ASSERT_EQ(step.parts.size(), 2u);
  const size_t worker = step.parts[0].task == &ps ? 1 : 0;
  first.parts = {step.parts[worker]};
  second.parts = {step.parts[1 - worker]};
  const std::vector<CallRef> waiting = cluster.Start(first, step_id, {});
  EXPECT_TRUE(Eventually([&] { return ps.steps().num_steps() == 1; }));
  EXPECT_FALSE(waiting[0]->is_done());
  const std::vector<CallRef> making =
      cluster.Start(second, step_id, {Tensor::Scalar(2.0f)});
  const auto value = cluster.Wait(first, step_id, waiting);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ((*value)[0].scalar<float>(), 5.0f);
  EXPECT_TRUE(WaitForRun(*making[0]).status.ok());
  EXPECT_TRUE(ps.CleanupGraph(step_id).ok());
}

TEST_F(WorkerStepTest, ManyStepsRunBesideEachOther) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x");
  Output y;
  {
    const Scope on_ps = b.OnDevice("/job:ps/cpu:0");
    y = x + 1.0f;
  }
  const Scope on_worker = b.OnDevice("/job:worker/cpu:0");
  const Output z = y * 2.0f;
  const RegisteredStep step =
      Register(b, {.feeds = {"x"}, .fetches = {z.name()}});
  constexpr int kSteps = 50;
  std::vector<int64_t> ids;
  std::vector<std::vector<CallRef>> calls;
  for (int i = 0; i < kSteps; ++i) {
    ids.push_back(RandomStepId());
    calls.push_back(
        cluster.Start(step, ids[i], {Tensor::Scalar(static_cast<float>(i))}));
    if (i % 5 == 0) calls[i][0]->Cancel();
  }
  for (int i = 0; i < kSteps; ++i) {
    const auto value = cluster.Wait(step, ids[i], calls[i]);
    if (i % 5 == 0) continue;  // The cancellation may have come too late.
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ((*value)[0].scalar<float>(), (static_cast<float>(i) + 1) * 2);
  }
}

}  // namespace
}  // namespace leat::worker_step_test
