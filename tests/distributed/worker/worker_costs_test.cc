// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests which steps of a worker are kept as samples of what nodes cost.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/random_id.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/cost_recorder.h"
#include "leat/runtime/sampling_schedule.h"
#include "leat/tests/distributed/worker/worker_testing.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::worker_costs_test {
namespace {

using ::leat::testing::CallRef;
using ::leat::testing::Eventually;
using ::leat::testing::RegisteredStep;
using ::leat::testing::SimulatedClock;
using ::leat::testing::TestCluster;
using ::leat::testing::WaitForRun;

constexpr char kSession[] = "session";
constexpr int kSteps =
    SamplingSchedule::kWarmUpSteps + SamplingSchedule::kFirstSamples;

class WorkerCostsTest : public ::testing::Test {
 protected:
  WorkerCostsTest() : cluster({"ps"}, {}, folder.Path("costs")) {
    EXPECT_TRUE(cluster.CreateSession(kSession).ok());
  }
  void TearDown() override {
    cluster.DeleteSession(kSession);
    cluster.ExpectNothingLeft();
  }

  RegisteredStep Register(StepSignature signature) {
    return cluster.Register(kSession, b.Build().value(), std::move(signature))
        .value();
  }
  absl::Status Run(const RegisteredStep& step,
                   const std::vector<Tensor>& feeds) {
    return cluster.Run(step, RandomStepId(), feeds).status();
  }
  // Runs `step` several times at once, until all of these runs wait.
  std::vector<CallRef> Start(const RegisteredStep& step, size_t count) {
    std::vector<CallRef> calls;
    for (size_t i = 0; i < count; ++i) {
      calls.push_back(cluster.Start(step, RandomStepId(), {})[0]);
    }
    EXPECT_TRUE(Eventually(
        [&] { return cluster[0].worker().counters().running == count; }));
    return calls;
  }
  // Returns how many samples have the node of `output`.
  double NumSamples(const Output& output) {
    const CostTable& table = cluster[0].devices().costs()->table();
    double steps = 0;
    for (const std::string& kind : table.kinds()) {
      const DeviceCosts costs = table.Copy(kind);
      const NodeRuns* const runs = costs.FindNode(output.operation().name());
      if (runs != nullptr) steps += runs->steps;
    }
    return steps;
  }

  const TemporaryFolder folder;
  SimulatedClock clock;
  TestCluster cluster;
  GraphBuilder b;
};

TEST_F(WorkerCostsTest, AStepThatSucceedsIsKept) {
  const Output y = op::Square(b.Placeholder<float>("x"));
  const RegisteredStep step = Register({.feeds = {"x"}, .fetches = {y.name()}});
  for (int i = 0; i < kSteps; ++i) {
    ASSERT_TRUE(Run(step, {Tensor::Scalar(2.0f)}).ok());
  }
  EXPECT_EQ(NumSamples(y), SamplingSchedule::kFirstSamples);
}

TEST_F(WorkerCostsTest, AStepThatFailsIsNot) {
  const Output x = op::Identity(b.Placeholder<float>("x"));
  const Output y = op::CheckNumerics(x, "bad");
  const RegisteredStep step = Register({.feeds = {"x"}, .fetches = {y.name()}});
  for (int i = 0; i < kSteps - 1; ++i) {
    EXPECT_FALSE(Run(step, {Tensor::Scalar(NAN)}).ok());
  }
  EXPECT_EQ(NumSamples(x), 0);
  ASSERT_TRUE(Run(step, {Tensor::Scalar(2.0f)}).ok());
  EXPECT_EQ(NumSamples(x), 1);
}

class WaitingStepsTest : public WorkerCostsTest {
 protected:
  const Output queue = op::FIFOQueueV2(b, {DType::kFloat});
  const Operation put = op::QueueEnqueueV2(queue, {b.Const(4.0f)});
  const Output taken = op::QueueDequeueV2(queue, {DType::kFloat})[0];
};

TEST_F(WaitingStepsTest, AStepThatIsCancelledIsNot) {
  const RegisteredStep take = Register({.fetches = {taken.name()}});
  for (const CallRef& call : Start(take, kSteps - 1)) {
    call->Cancel();
    EXPECT_FALSE(WaitForRun(*call).status.ok());
  }
  EXPECT_EQ(NumSamples(taken), 0);
  ASSERT_TRUE(Run(Register({.targets = {put.name()}}), {}).ok());
  ASSERT_TRUE(Run(take, {}).ok());
  EXPECT_EQ(NumSamples(taken), 1);
}

TEST_F(WaitingStepsTest, AStepThatEndsWithItsSessionIsNot) {
  ASSERT_TRUE(cluster.CreateSession("brief").ok());
  const RegisteredStep take =
      cluster.Register("brief", b.Build().value(), {.fetches = {taken.name()}})
          .value();
  const std::vector<CallRef> calls = Start(take, kSteps);
  cluster.DeleteSession("brief");
  for (const CallRef& call : calls) {
    EXPECT_FALSE(WaitForRun(*call).status.ok());
  }
  EXPECT_EQ(NumSamples(taken), 0);
}

}  // namespace
}  // namespace leat::worker_costs_test
