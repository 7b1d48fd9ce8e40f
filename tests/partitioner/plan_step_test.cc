// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/plan_step.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat::plan_step_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kWorker = "/job:worker/replica:0/task:0";
const std::string kPs = "/job:ps/replica:0/task:0";

std::vector<DeviceInfo> Cluster() {
  std::vector<DeviceInfo> devices;
  for (const std::string& task : {kWorker, kPs}) {
    devices.push_back(
        {.name = task + "/device:CPU:0", .type = "CPU", .incarnation = 1});
  }
  return devices;
}

// Returns the names of the nodes of `op` in the partition of `task`.
std::vector<std::string> NodesOf(const StepPlan& plan, const std::string& task,
                                 const std::string& op) {
  std::vector<std::string> names;
  for (const Partition& part : plan.partitions) {
    if (part.name != task) continue;
    for (const NodeId id : part.graph.NodeIds()) {
      const Node& node = part.graph.node(id);
      if (node.op() == op) names.push_back(node.name());
    }
  }
  return names;
}

class PlanStepTest : public ::testing::Test {
 protected:
  StepPlan Plan(StepSignature signature) {
    PrepareOptions options;
    options.policies = &BuiltinPolicies();
    options.foreign_tasks = foreign_tasks;
    auto prepared = PrepareGraph(b.Build().value(), Cluster(), options);
    EXPECT_TRUE(prepared.ok()) << prepared.status();
    if (!prepared.ok()) return {};
    auto plan =
        PlanStep(*prepared, std::move(signature), Cluster(),
                 {.passes = &BuiltinPasses(), .foreign_tasks = foreign_tasks});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *std::move(plan) : StepPlan();
  }

  GraphBuilder b;
  std::vector<std::string> foreign_tasks;
};

TEST_F(PlanStepTest, AFedTensorLiesOnTheOneTaskThatUsesIt) {
  const Output x = b.Placeholder<float>("x", {-1, 4});
  const Output rate = op::PlaceholderWithDefault(b.Const(0.5f), {});
  Output y;
  {
    auto device = b.OnDevice("/job:ps");
    y = op::Mul(x, rate);
  }
  const Output rows = op::Neg(op::Shape(x));
  const StepPlan plan = Plan(
      {.feeds = {x.name(), rate.name()}, .fetches = {y.name(), rows.name()}});
  EXPECT_THAT(NodesOf(plan, kPs, "_Arg"),
              ElementsAre("_arg_x_0", "_arg_PlaceholderWithDefault_0"));
  EXPECT_THAT(NodesOf(plan, kWorker, "_Arg"), IsEmpty());
  // The worker receives the shape of x, but not x.
  EXPECT_THAT(NodesOf(plan, kPs, "_Send").size(), 1u);
  EXPECT_THAT(NodesOf(plan, kWorker, "_Send"), IsEmpty());
}

TEST_F(PlanStepTest, AForeignTaskGetsOpsOfTypesWithoutAKernelOfOurs) {
  foreign_tasks = {kPs};
  const Output x = b.Placeholder(DType::kComplex64, "x");
  Output y;
  {
    auto device = b.OnDevice("/job:ps");
    y = op::MatMul(x, x);
  }
  const StepPlan plan = Plan({.feeds = {"x"}, .fetches = {y.name()}});
  ASSERT_EQ(plan.partitions.size(), 1u);
  EXPECT_THAT(NodesOf(plan, kPs, "MatMul"), ElementsAre("MatMul"));
}

}  // namespace
}  // namespace leat::plan_step_test
