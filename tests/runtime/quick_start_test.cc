// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what GraphRunner::Start runs on the thread that calls it.
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/kernels/variable.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/runtime/started_step.h"
#include "leat/tests/testing/event.h"

namespace leat::quick_start_test {
namespace {

using testing::Event;
using testing::StartedStep;

class QuickStartTest : public ::testing::Test {
 protected:
  std::shared_ptr<CompiledGraph> Register(StepSignature signature) {
    auto prepared = PrepareGraph(b_.Build().value(), devices_->Infos(),
                                 {.policies = &BuiltinPolicies()});
    EXPECT_TRUE(prepared.ok()) << prepared.status();
    auto plan = PlanStep(*prepared, std::move(signature), devices_->Infos());
    EXPECT_TRUE(plan.ok()) << plan.status();
    auto graph = runner_.Register(std::move(plan->partitions[0].graph));
    EXPECT_TRUE(graph.ok()) << graph.status();
    return *std::move(graph);
  }
  std::unique_ptr<StartedStep> Start(
      const std::shared_ptr<CompiledGraph>& graph,
      std::vector<Tensor> args = {}) {
    auto started = std::make_unique<StartedStep>(std::move(args));
    started->Start(runner_, graph);
    return started;
  }
  // Adds a variable "v", initializes it with 5 and returns it. Sets `value` to
  // the Output that reads it.
  std::shared_ptr<kernels::Variable> MakeVariable(Output& value) {
    const auto made = b_.Variable("v", b_.Const(5.0f));
    value = made.value();
    const auto initialized =
        Start(Register({.targets = {made.initializer().name()}}));
    EXPECT_EQ(initialized->End(), absl::OkStatus());
    auto variable = devices_->resources()
                        .Of(*devices_->devices()[0])
                        .Find<kernels::Variable>("", "v");
    EXPECT_TRUE(variable.ok()) << variable.status();
    return *std::move(variable);
  }

  const std::unique_ptr<DeviceSet> devices_ =
      DeviceSet::Create({.num_threads = 2}).value();
  GraphRunner runner_{*devices_, devices_->resources(), BuiltinKernels()};
  GraphBuilder b_;
};

TEST_F(QuickStartTest, WhatIsQuickHasEndedWhenStartReturns) {
  const Output x = b_.Placeholder<float>("x");
  const Output y = op::Identity(x);
  const auto step = Start(Register({.feeds = {"x"}, .fetches = {y.name()}}),
                          {Tensor::Scalar(7.0f)});
  ASSERT_TRUE(step->HasEnded());
  EXPECT_FALSE(step->was_on_pool());
  EXPECT_EQ(step->End(), absl::OkStatus());
  EXPECT_EQ(step->returns()[0].scalar<float>(), 7);
}

TEST_F(QuickStartTest, WhatComputesRunsOnThePool) {
  const Output x = b_.Placeholder<float>("x", {1, 1});
  const Output cheap = op::Neg(x);
  const Output expensive = op::MatMul(x, x);
  for (const Output& y : {cheap, expensive}) {
    const auto step = Start(Register({.feeds = {"x"}, .fetches = {y.name()}}),
                            {Tensor::Filled(Shape{1, 1}, 7.0f)});
    EXPECT_EQ(step->End(), absl::OkStatus());
    EXPECT_TRUE(step->was_on_pool());
  }
}

TEST_F(QuickStartTest, AnUpdateOfAVariableIsNotWaitedFor) {
  Output value;
  const std::shared_ptr<kernels::Variable> variable = MakeVariable(value);
  const auto graph = Register({.fetches = {value.name()}});
  Event begun, go_on;
  std::thread update([&] {
    EXPECT_TRUE(variable
                    ->Update(devices_->devices()[0]->allocator(),
                             [&](Tensor& tensor) {
                               begun.Set();
                               EXPECT_TRUE(go_on.Wait());
                               tensor.mutable_data<float>()[0] = 6;
                               return absl::OkStatus();
                             })
                    .ok());
  });
  ASSERT_TRUE(begun.Wait());
  const auto step = Start(graph);
  EXPECT_FALSE(step->HasEnded());
  go_on.Set();
  update.join();
  ASSERT_EQ(step->End(), absl::OkStatus());
  EXPECT_TRUE(step->was_on_pool());
  EXPECT_EQ(step->returns()[0].scalar<float>(), 6);
}

// After UpdateRows, the variable's rows may change in place. So a read must
// copy the variable, and the copy must be made on the pool.
TEST_F(QuickStartTest, ATableIsCopiedOnThePool) {
  Output value;
  const std::shared_ptr<kernels::Variable> variable = MakeVariable(value);
  const auto graph = Register({.fetches = {value.name()}});
  const auto alone = Start(graph);
  EXPECT_TRUE(alone->HasEnded());
  EXPECT_FALSE(alone->was_on_pool());
  ASSERT_TRUE(variable
                  ->UpdateRows(devices_->devices()[0]->allocator(),
                               [](Tensor&) { return absl::OkStatus(); })
                  .ok());
  const auto step = Start(graph);
  ASSERT_EQ(step->End(), absl::OkStatus());
  EXPECT_TRUE(step->was_on_pool());
  EXPECT_EQ(step->returns()[0].scalar<float>(), 5);
}

TEST_F(QuickStartTest, AnEndlessLoopIsLeftToThePool) {
  const Output x = b_.Placeholder<float>("x");
  const auto endless = [&](const Output& start) {
    return While(
        {start}, [&](auto) { return b_.Const(true); },
        [&](auto v) { return std::vector<Output>{v[0]}; })[0];
  };
  const Output ordered = endless(x);  // one thread runs this program in order
  const Output matrix = b_.Const(Tensor::Filled<float>(Shape{2, 2}, 1));
  const Output beside_product = op::Add(
      endless(x), op::Sum(op::MatMul(matrix, matrix), b_.Const({0, 1})));
  for (const Output& y : {ordered, beside_product}) {
    StartedStep step({Tensor::Scalar(7.0f)});
    const std::shared_ptr<Step> state = step.step();
    step.Start(runner_, Register({.feeds = {"x"}, .fetches = {y.name()}}));
    EXPECT_FALSE(step.HasEnded());
    state->Fail(absl::CancelledError("enough"));
    EXPECT_EQ(step.End(), absl::CancelledError("enough"));
  }
}

}  // namespace
}  // namespace leat::quick_start_test
