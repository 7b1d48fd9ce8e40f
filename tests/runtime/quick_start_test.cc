// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What GraphRunner::Start runs on the thread that calls it.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/mutex.h"
#include "leat/graph/builder.h"
#include "leat/graph/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/kernels/variable.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/runtime/local_session.h"

namespace leat {
namespace {

constexpr auto kSoon = std::chrono::seconds(20);

// Set once, by one thread, for others.
class Event {
 public:
  void Set() {
    MutexLock lock(mutex_);
    is_set_ = true;
    set_.NotifyAll();
  }
  bool IsSet() {
    MutexLock lock(mutex_);
    return is_set_;
  }
  bool WaitSoon() {
    const auto deadline = std::chrono::steady_clock::now() + kSoon;
    MutexLock lock(mutex_);
    while (!is_set_ && set_.WaitUntil(mutex_, deadline)) {
    }
    return is_set_;
  }

 private:
  Mutex mutex_;
  CondVar set_;
  bool is_set_ ABSL_GUARDED_BY(mutex_) = false;
};

class QuickStartTest : public ::testing::Test {
 protected:
  // A started step.
  struct Started {
    explicit Started(std::vector<Tensor> arguments)
        : args(std::move(arguments)) {}

    const std::vector<Tensor> args;
    std::vector<Tensor> returns{1};
    LocalRendezvous rendezvous;
    Step step{1, rendezvous, args, absl::MakeSpan(returns), nullptr};
    Event ended;
    bool was_on_pool = false;
    absl::Status status;
  };

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
  std::unique_ptr<Started> Start(const std::shared_ptr<CompiledGraph>& graph,
                                 std::vector<Tensor> args = {}) {
    auto started = std::make_unique<Started>(std::move(args));
    runner_.Start(graph, started->step,
                  [this, started = started.get()](absl::Status status) {
                    started->status = std::move(status);
                    started->was_on_pool =
                        devices_->compute_queue().IsWorkerThread();
                    started->ended.Set();
                  });
    return started;
  }
  // A variable "v" of value 5.
  std::shared_ptr<kernels::Variable> MakeVariable(Output& value) {
    const auto made = b_.Variable("v", b_.Const(5.0f));
    value = made.value();
    const auto initialized =
        Start(Register({.targets = {made.initializer().name()}}));
    EXPECT_TRUE(initialized->ended.WaitSoon());
    EXPECT_EQ(initialized->status, absl::OkStatus());
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
  ASSERT_TRUE(step->ended.IsSet());
  EXPECT_FALSE(step->was_on_pool);
  EXPECT_EQ(step->status, absl::OkStatus());
  EXPECT_EQ(step->returns[0].scalar<float>(), 7);
}

TEST_F(QuickStartTest, WhatComputesRunsOnThePool) {
  const Output x = b_.Placeholder<float>("x", {1, 1});
  const Output cheap = op::Neg(x);
  const Output expensive = op::MatMul(x, x);
  for (const Output& y : {cheap, expensive}) {
    const auto step = Start(Register({.feeds = {"x"}, .fetches = {y.name()}}),
                            {Tensor::Filled(Shape{1, 1}, 7.0f)});
    ASSERT_TRUE(step->ended.WaitSoon());
    EXPECT_TRUE(step->was_on_pool);
    EXPECT_EQ(step->status, absl::OkStatus());
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
                               go_on.WaitSoon();
                               tensor.mutable_data<float>()[0] = 6;
                               return absl::OkStatus();
                             })
                    .ok());
  });
  ASSERT_TRUE(begun.WaitSoon());
  const auto step = Start(graph);
  EXPECT_FALSE(step->ended.IsSet());
  go_on.Set();
  update.join();
  ASSERT_TRUE(step->ended.WaitSoon());
  EXPECT_TRUE(step->was_on_pool);
  EXPECT_EQ(step->returns[0].scalar<float>(), 6);
}

// Its rows may be updated while it is read, so it is copied.
TEST_F(QuickStartTest, ATableIsCopiedOnThePool) {
  Output value;
  const std::shared_ptr<kernels::Variable> variable = MakeVariable(value);
  const auto graph = Register({.fetches = {value.name()}});
  EXPECT_FALSE(Start(graph)->was_on_pool);
  ASSERT_TRUE(variable
                  ->UpdateRows(devices_->devices()[0]->allocator(),
                               [](Tensor&) { return absl::OkStatus(); })
                  .ok());
  const auto step = Start(graph);
  ASSERT_TRUE(step->ended.WaitSoon());
  EXPECT_TRUE(step->was_on_pool);
  EXPECT_EQ(step->returns[0].scalar<float>(), 5);
}

TEST_F(QuickStartTest, AnEndlessLoopIsLeftToThePool) {
  const Output x = b_.Placeholder<float>("x");
  const Output y = While(
      {x}, [&](auto) { return b_.Const(true); },
      [&](auto v) { return std::vector<Output>{v[0]}; })[0];
  const auto step = Start(Register({.feeds = {"x"}, .fetches = {y.name()}}),
                          {Tensor::Scalar(7.0f)});
  EXPECT_FALSE(step->ended.IsSet());
  step->step.Fail(absl::CancelledError("enough"));
  ASSERT_TRUE(step->ended.WaitSoon());
  EXPECT_EQ(step->status.message(), "enough");
}

}  // namespace
}  // namespace leat
