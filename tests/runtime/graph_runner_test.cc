// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests steps whose caller starts them and does not wait for their ends.
// (Sessions wait for their steps; local_session_test.cc tests that.)
#include "leat/runtime/graph_runner.h"

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/runtime/started_step.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::graph_runner_test {
namespace {

using testing::Event;
using ::testing::HasSubstr;
using testing::StartedStep;

// Runs each test on one device and on two devices that wait for each other.
class GraphRunnerTest : public ::testing::TestWithParam<int> {
 protected:
  GraphRunnerTest()
      : devices_(DeviceSet::Create({.num_cpus = GetParam(), .num_threads = 2})
                     .value()),
        runner_(*devices_, devices_->resources(), BuiltinKernels()) {
    x = b.Placeholder<float>("x");
  }

  std::string Elsewhere() const {
    return GetParam() == 1 ? "/cpu:0" : "/cpu:1";
  }
  std::shared_ptr<CompiledGraph> Register(GraphRunner& runner,
                                          StepSignature signature) {
    auto prepared = PrepareGraph(b.Build().value(), devices_->Infos(),
                                 {.policies = &BuiltinPolicies()});
    EXPECT_TRUE(prepared.ok()) << prepared.status();
    auto plan = PlanStep(*prepared, std::move(signature), devices_->Infos());
    EXPECT_TRUE(plan.ok()) << plan.status();
    auto graph = runner.Register(std::move(plan->partitions[0].graph));
    EXPECT_TRUE(graph.ok()) << graph.status();
    return *std::move(graph);
  }
  // Registers a graph that computes 2 x^2. The last device computes x^2.
  std::shared_ptr<CompiledGraph> RegisterSquares() {
    Output y;
    {
      auto device = b.OnDevice(Elsewhere());
      y = op::Square(x);
    }
    auto device = b.OnDevice("/cpu:0");
    const Output z = op::AddV2(y, y);
    return Register(runner_, {.feeds = {"x"}, .fetches = {z.name()}});
  }
  // Registers a graph that waits for an element of an empty queue on the last
  // device and negates the element on the first device.
  std::shared_ptr<CompiledGraph> RegisterWaiting() {
    Output taken;
    {
      auto device = b.OnDevice(Elsewhere());
      const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
      taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
    }
    auto device = b.OnDevice("/cpu:0");
    const Output z = op::Neg(taken);
    return Register(runner_, {.fetches = {z.name()}});
  }

  testing::SimulatedClock clock_;
  const std::unique_ptr<DeviceSet> devices_;
  GraphRunner runner_;
  GraphBuilder b;
  Output x;
};

INSTANTIATE_TEST_SUITE_P(Devices, GraphRunnerTest, ::testing::Values(1, 2));

TEST_P(GraphRunnerTest, StartCallsDoneOnce) {
  constexpr int kSteps = 200;
  const auto graph = RegisterSquares();
  std::vector<std::unique_ptr<StartedStep>> steps;
  for (int i = 0; i < kSteps; ++i) {
    steps.push_back(std::make_unique<StartedStep>(
        std::vector<Tensor>{Tensor::Scalar<float>(i)}));
    steps.back()->Start(runner_, graph);
  }
  for (int i = 0; i < kSteps; ++i) {
    const absl::Status end = steps[i]->End();
    ASSERT_TRUE(end.ok()) << end;
    EXPECT_EQ(steps[i]->returns()[0].scalar<float>(), 2.0f * i * i);
    EXPECT_TRUE(steps[i]->was_on_pool());
  }
  for (const auto& step : steps) EXPECT_EQ(step->calls(), 1);
}

TEST_P(GraphRunnerTest, StartEndsWhenTheStepIsFailedFromOutside) {
  const auto graph = RegisterWaiting();
  for (int i = 0; i < 20; ++i) {
    StartedStep waiting({});
    const std::shared_ptr<Step> step = waiting.step();
    waiting.Start(runner_, graph);
    step->Fail(absl::CancelledError("no longer wanted"));
    EXPECT_EQ(waiting.End(), absl::CancelledError("no longer wanted"));
    EXPECT_EQ(waiting.calls(), 1);
  }
}

// With two devices, one of them finishes its part long before the other.
TEST_P(GraphRunnerTest, StartIsNotDoneWhileAnythingOfTheStepWaits) {
  std::string waits;
  {
    auto device = b.OnDevice(Elsewhere());
    const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
    waits = op::QueueDequeueV2(queue, {DType::kFloat})[0].operation().name();
  }
  auto device = b.OnDevice("/cpu:0");
  const Output ends = op::Neg(x);
  const auto graph = Register(
      runner_, {.feeds = {"x"}, .fetches = {ends.name()}, .targets = {waits}});
  EXPECT_EQ(graph->executors.size(), static_cast<size_t>(GetParam()));
  StartedStep started({Tensor::Scalar(1.0f)});
  const std::shared_ptr<Step> step = started.step();
  started.Start(runner_, graph);
  clock_.Settle();
  EXPECT_EQ(started.calls(), 0);
  step->Fail(absl::CancelledError("no longer wanted"));
  EXPECT_EQ(started.End(), absl::CancelledError("no longer wanted"));
  EXPECT_EQ(started.calls(), 1);
}

TEST_P(GraphRunnerTest, StartOfAStepThatHasFailedEndsIt) {
  StartedStep failed({Tensor::Scalar(1.0f)});
  failed.step()->Fail(absl::AbortedError("too late"));
  failed.Start(runner_, RegisterSquares());
  EXPECT_EQ(failed.End(), absl::AbortedError("too late"));
  EXPECT_FALSE(failed.returns()[0].IsValid());
}

TEST_P(GraphRunnerTest, StartGivesTheErrorOfAKernel) {
  Output bad;
  {
    auto device = b.OnDevice(Elsewhere());
    bad = op::CheckNumerics(x, "not a number");
  }
  auto device = b.OnDevice("/cpu:0");
  const Output z = op::Neg(bad);
  const auto graph = Register(runner_, {.feeds = {"x"}, .fetches = {z.name()}});
  StartedStep step({Tensor::Scalar(std::numeric_limits<float>::quiet_NaN())});
  step.Start(runner_, graph);
  const absl::Status end = step.End();
  EXPECT_EQ(end.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(end.message()), HasSubstr("not a number"));
}

// The callback that reports the end of a step may start the next step.
TEST_P(GraphRunnerTest, StartMayBeCalledOnAPoolThread) {
  const auto graph = RegisterSquares();
  StartedStep first({Tensor::Scalar(2.0f)});
  StartedStep second({Tensor::Scalar(3.0f)});
  devices_->compute_queue().Add([&] {
    first.Start(runner_, graph);
    second.Start(runner_, graph);
  });
  EXPECT_EQ(first.End(), absl::OkStatus());
  EXPECT_EQ(second.End(), absl::OkStatus());
  EXPECT_EQ(first.returns()[0].scalar<float>(), 8);
  EXPECT_EQ(second.returns()[0].scalar<float>(), 18);
}

TEST_P(GraphRunnerTest, StartHasLetGoOfTheGraphWhenItIsDone) {
  auto graph = RegisterSquares();
  const std::weak_ptr<CompiledGraph> watched = graph;
  LocalRendezvous rendezvous;
  const std::vector<Tensor> args = {Tensor::Scalar(2.0f)};
  std::vector<Tensor> returns(1);
  Step step(1, rendezvous, args, absl::MakeSpan(returns), nullptr);
  Event ended;
  bool was_gone = false;
  runner_.Start(std::move(graph), step, [&](absl::Status) {
    was_gone = watched.expired();
    ended.Set();
  });
  ASSERT_TRUE(ended.Wait());
  EXPECT_TRUE(was_gone);
  EXPECT_EQ(returns[0].scalar<float>(), 8);
}

TEST_P(GraphRunnerTest, StartOfAnEmptyGraphEndsToo) {
  StartedStep empty({}, 0);
  empty.Start(runner_, std::make_shared<CompiledGraph>());
  EXPECT_EQ(empty.End(), absl::OkStatus());
}

// The step flushes denormals, as steps on clients' threads do.
TEST_P(GraphRunnerTest, StartFlushesDenormals) {
  Output y;
  {
    auto device = b.OnDevice(Elsewhere());
    y = op::Mul(x, x);
  }
  const auto graph = Register(runner_, {.feeds = {"x"}, .fetches = {y.name()}});
  StartedStep step({Tensor::Scalar(1e-20f)});
  step.Start(runner_, graph);
  ASSERT_EQ(step.End(), absl::OkStatus());
  EXPECT_EQ(step.returns()[0].scalar<float>(), 0);
}

TEST_P(GraphRunnerTest, SessionsOfTheirOwnResourcesShareNoVariables) {
  Output value;
  std::string initializer;
  {
    auto device = b.OnDevice(Elsewhere());
    const auto variable = b.Variable("v", b.Const(5.0f));
    value = variable.value();
    initializer = variable.initializer().name();
  }
  DeviceResources own(devices_->devices());
  GraphRunner isolated(*devices_, own, BuiltinKernels());
  GraphRunner shared(*devices_, devices_->resources(), BuiltinKernels());
  const auto end = [](GraphRunner& runner,
                      const std::shared_ptr<CompiledGraph>& graph,
                      size_t num_returns) {
    StartedStep step({}, num_returns);
    step.Start(runner, graph);
    return step.End();
  };
  EXPECT_EQ(end(runner_, Register(runner_, {.targets = {initializer}}), 0),
            absl::OkStatus());
  EXPECT_EQ(end(shared, Register(shared, {.fetches = {value.name()}}), 1),
            absl::OkStatus());
  EXPECT_EQ(
      end(isolated, Register(isolated, {.fetches = {value.name()}}), 1).code(),
      absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace leat::graph_runner_test
