// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/reduce_cross_task_edges.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/device.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"

namespace leat::reduce_cross_task_edges_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::string kWorker = "/job:worker/replica:0/task:0";
const std::string kPs = "/job:ps/replica:0/task:0";
const std::string kOtherPs = "/job:ps/replica:0/task:1";

std::vector<DeviceInfo> Cluster() {
  std::vector<DeviceInfo> devices;
  for (const std::string& device :
       {kWorker + "/device:CPU:0", kWorker + "/device:CPU:1",
        kPs + "/device:CPU:0", kOtherPs + "/device:CPU:0"}) {
    devices.push_back({.name = device, .type = "CPU", .incarnation = 1});
  }
  return devices;
}

// Returns the names of all nodes whose op is `op`.
std::vector<std::string> NodesOf(const Graph& graph, const std::string& op) {
  std::vector<std::string> names;
  for (const NodeId id : graph.NodeIds()) {
    if (graph.node(id).op() == op) names.push_back(graph.node(id).name());
  }
  return names;
}

// Returns the names of all nodes with the op `op` in the partition of `task`.
std::vector<std::string> NodesOf(const StepPlan& plan, const std::string& task,
                                 const std::string& op) {
  for (const Partition& part : plan.partitions) {
    if (part.name == task) return NodesOf(part.graph, op);
  }
  return {};
}

// Returns the number of nodes with the op `op` in all partitions.
size_t Count(const StepPlan& plan, const std::string& op) {
  size_t count = 0;
  for (const Partition& part : plan.partitions) {
    count += NodesOf(part.graph, op).size();
  }
  return count;
}

std::vector<std::string> TasksOf(const StepPlan& plan) {
  std::vector<std::string> tasks;
  for (const Partition& part : plan.partitions) tasks.push_back(part.name);
  return tasks;
}

class ReduceCrossTaskEdgesTest : public ::testing::Test {
 protected:
  Graph Prepared() {
    PrepareOptions options;
    options.policies = &BuiltinPolicies();
    return PrepareGraph(b.Build().value(), Cluster(), options).value();
  }
  StepPlan Plan(StepSignature signature, const PlanOptions& options) {
    auto plan = PlanStep(Prepared(), std::move(signature), Cluster(), options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? *std::move(plan) : StepPlan();
  }
  // Makes a plan without optimizer passes.
  StepPlan Plan(StepSignature signature) {
    return Plan(std::move(signature), {.passes = &no_passes_});
  }

  Output Const(Tensor value, const std::string& device = kPs) {
    auto there = b.OnDevice(device);
    return b.Const(std::move(value), "c");
  }
  Output Const(float value, const std::string& device = kPs) {
    return Const(Tensor::Scalar(value), device);
  }
  Output Neg(const Output& x, const std::string& device = kWorker) {
    auto there = b.OnDevice(device);
    return op::Neg(x);
  }
  // Adds an update of a variable on `device`.
  Operation Update(const std::string& device) {
    auto there = b.OnDevice(device);
    const Variable v = b.Variable("v", b.Const(1.0f));
    return op::AssignAddVariableOp(v.handle(), 1.0f);
  }
  Operation Group(const std::vector<Operation>& after, const std::string& name,
                  const std::string& device = kWorker) {
    auto there = b.OnDevice(device);
    return b.Group(after, name);
  }

  // Plans a step with a group of updates and a constant. The constant is on the
  // parameter server, and the worker uses it.
  StepPlan PlanBoth(const PlanOptions& options) {
    const Output y = Neg(Const(2.0f));
    const Operation train = Group({Update(kPs)}, "train");
    return Plan({.fetches = {y.name()}, .targets = {train.name()}}, options);
  }

  GraphBuilder b;

 private:
  PassRegistry no_passes_;
};

// ---- Constants ----

TEST_F(ReduceCrossTaskEdgesTest, ASmallConstantIsCopiedToTheTaskThatUsesIt) {
  const Output c = Const(2.0f);
  const Output y = Neg(c), z = Neg(c);
  const StepPlan plan = Plan({.fetches = {y.name(), z.name()}});
  // The constant is copied once for both consumers, and the original is
  // removed, because nothing uses it.
  ASSERT_THAT(TasksOf(plan), ElementsAre(kWorker));
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), ElementsAre("c/copy"));
  EXPECT_EQ(Count(plan, "_Send"), 0u);
  EXPECT_EQ(Count(plan, "_Recv"), 0u);
  const Graph& graph = plan.partitions[0].graph;
  const NodeId copy = graph.Find("c/copy");
  ASSERT_NE(copy, kNoNode);
  EXPECT_EQ(graph.AssignedDevice(copy), Cluster()[0].name);
  EXPECT_EQ(
      graph.node(copy).attrs().Get<Tensor>("value").value().scalar<float>(),
      2.0f);
  for (const Output& output : {y, z}) {
    const NodeId user = graph.Find(output.operation().name());
    ASSERT_NE(user, kNoNode);
    EXPECT_EQ(graph.node(user).inputs[0], (Endpoint{copy, 0}));
  }
}

TEST_F(ReduceCrossTaskEdgesTest, TheOriginalStaysWhereItIsUsed) {
  const Output c = Const(2.0f);
  const Output here = Neg(c, kPs), there = Neg(c);
  const StepPlan plan = Plan({.fetches = {here.name(), there.name()}});
  EXPECT_THAT(NodesOf(plan, kPs, "Const"), ElementsAre("c"));
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), ElementsAre("c/copy"));
  EXPECT_EQ(Count(plan, "_Send"), 0u);
}

TEST_F(ReduceCrossTaskEdgesTest, AFetchedConstantStays) {
  const Output c = Const(2.0f);
  const Output y = Neg(c);
  const StepPlan plan = Plan({.fetches = {c.name(), y.name()}});
  EXPECT_THAT(NodesOf(plan, kPs, "Const"), ElementsAre("c"));
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), ElementsAre("c/copy"));
  EXPECT_EQ(Count(plan, "_Send"), 0u);
}

TEST_F(ReduceCrossTaskEdgesTest, AConstantThatIsATargetStays) {
  const Output c = Const(2.0f);
  const Output y = Neg(Const(3.0f, kWorker));
  const StepPlan plan =
      Plan({.fetches = {y.name()}, .targets = {c.operation().name()}});
  EXPECT_THAT(NodesOf(plan, kPs, "Const"), ElementsAre("c"));
}

TEST_F(ReduceCrossTaskEdgesTest, EachTaskGetsACopy) {
  const Output c = Const(2.0f);
  const Output y = Neg(c), z = Neg(c, kOtherPs);
  const StepPlan plan = Plan({.fetches = {y.name(), z.name()}});
  EXPECT_THAT(TasksOf(plan), UnorderedElementsAre(kWorker, kOtherPs));
  EXPECT_EQ(NodesOf(plan, kWorker, "Const").size(), 1u);
  EXPECT_EQ(NodesOf(plan, kOtherPs, "Const").size(), 1u);
  EXPECT_EQ(Count(plan, "_Send"), 0u);
}

TEST_F(ReduceCrossTaskEdgesTest, EachDeviceOfAnotherTaskGetsACopy) {
  const Output c = Const(2.0f);
  const Output y = Neg(c, kWorker + "/cpu:0"), z = Neg(c, kWorker + "/cpu:1");
  const StepPlan plan = Plan({.fetches = {y.name(), z.name()}});
  EXPECT_THAT(TasksOf(plan), ElementsAre(kWorker));
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"),
              UnorderedElementsAre("c/copy", "c/copy_1"));
}

TEST_F(ReduceCrossTaskEdgesTest, WithinATaskNothingIsCopied) {
  const Output c = Const(2.0f, kWorker + "/cpu:0");
  const Output y = Neg(c, kWorker + "/cpu:1");
  const StepPlan plan = Plan({.fetches = {y.name()}});
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), ElementsAre("c"));
}

// A device of another type may have no kernel for the constant.
TEST_F(ReduceCrossTaskEdgesTest, ADeviceOfAnotherTypeGetsNoCopy) {
  const Output y = Neg(Const(2.0f));
  Graph graph = Prepared();
  const int gpu = graph.InternDevice(kWorker + "/device:GPU:0");
  graph.mutable_node(graph.Find(y.operation().name())).device = gpu;
  const absl::Status reduced = ReduceCrossTaskEdges(graph);
  ASSERT_TRUE(reduced.ok()) << reduced;
  EXPECT_THAT(NodesOf(graph, "Const"), ElementsAre("c"));
}

TEST_F(ReduceCrossTaskEdgesTest, OnlyUpToALimitAreConstantsCopied) {
  constexpr int64_t kMost = kMaxCopiedBytes / 4;
  for (const int64_t size : {kMost, kMost + 1}) {
    SCOPED_TRACE(size);
    const Output y = Neg(Const(Tensor::Filled<float>(Shape{size}, 1)));
    const StepPlan plan = Plan({.fetches = {y.name()}});
    const size_t sent = size == kMost ? 0 : 1;
    EXPECT_EQ(Count(plan, "_Send"), sent);
    EXPECT_EQ(NodesOf(plan, kPs, "Const").size(), sent);
  }
}

TEST_F(ReduceCrossTaskEdgesTest, AConstantThatWaitsIsSent) {
  Output c;
  const Operation update = Update(kPs);
  {
    auto there = b.OnDevice(kPs);
    auto after = b.ControlDependencies({update});
    c = b.Const(2.0f, "c");
  }
  const Output y = Neg(c);
  const StepPlan plan = Plan({.fetches = {y.name()}});
  EXPECT_EQ(NodesOf(plan, kPs, "_Send").size(), 1u);
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), IsEmpty());
}

TEST_F(ReduceCrossTaskEdgesTest, WhatWaitsForAConstantStillDoes) {
  const Output c = Const(2.0f);
  Output y;
  {
    auto there = b.OnDevice(kWorker);
    auto after = b.ControlDependencies({c.operation()});
    y = b.Const(3.0f, "y");
  }
  const StepPlan plan = Plan({.fetches = {y.name()}});
  EXPECT_EQ(NodesOf(plan, kPs, "_Send").size(), 1u);
  EXPECT_EQ(NodesOf(plan, kWorker, "_Recv").size(), 1u);
}

TEST_F(ReduceCrossTaskEdgesTest, TextIsSent) {
  const Output c = Const(Tensor::Scalar<std::string>("text"));
  Output y;
  {
    auto there = b.OnDevice(kWorker);
    y = op::Identity(c);
  }
  const StepPlan plan = Plan({.fetches = {y.name()}});
  EXPECT_EQ(NodesOf(plan, kPs, "_Send").size(), 1u);
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), IsEmpty());
}

// ---- Groups ----

TEST_F(ReduceCrossTaskEdgesTest, AGroupOfUpdatesOfOtherTasksGoes) {
  const Operation train = Group({Update(kPs), Update(kOtherPs)}, "train");
  const StepPlan plan = Plan({.targets = {train.name()}});
  EXPECT_THAT(TasksOf(plan), UnorderedElementsAre(kPs, kOtherPs));
  EXPECT_EQ(Count(plan, "NoOp"), 0u);
  EXPECT_EQ(Count(plan, "_Send"), 0u);
  EXPECT_EQ(NodesOf(plan, kPs, "AssignAddVariableOp").size(), 1u);
  EXPECT_EQ(NodesOf(plan, kOtherPs, "AssignAddVariableOp").size(), 1u);
}

// The group is on the same task as one of its updates. The update runs although
// the group is removed.
TEST_F(ReduceCrossTaskEdgesTest, AGroupOfUpdatesOfItsTaskAndOthersGoes) {
  const Operation train = Group({Update(kPs), Update(kWorker)}, "train");
  const StepPlan plan = Plan({.targets = {train.name()}});
  EXPECT_EQ(Count(plan, "NoOp"), 0u);
  EXPECT_EQ(Count(plan, "_Send"), 0u);
  EXPECT_EQ(NodesOf(plan, kPs, "AssignAddVariableOp").size(), 1u);
  EXPECT_EQ(NodesOf(plan, kWorker, "AssignAddVariableOp").size(), 1u);
}

TEST_F(ReduceCrossTaskEdgesTest, AGroupOfGroupsGoesWithThem) {
  const Operation far = Group({Update(kPs)}, "far");
  const Operation near = Group({Update(kOtherPs)}, "near", kOtherPs);
  const Operation train = Group({far, near}, "train");
  const StepPlan plan = Plan({.targets = {train.name()}});
  EXPECT_THAT(TasksOf(plan), UnorderedElementsAre(kPs, kOtherPs));
  EXPECT_EQ(Count(plan, "_Send"), 0u);
  EXPECT_THAT(NodesOf(plan, kPs, "NoOp"), IsEmpty());
  // The group "near" stays, because it waits for no other task.
  EXPECT_THAT(NodesOf(plan, kOtherPs, "NoOp"), ElementsAre("near"));
  EXPECT_EQ(Count(plan, "AssignAddVariableOp"), 2u);
}

// Both groups are on the worker. The group "far" waits for another task, and
// "train" waits for that task only through "far".
TEST_F(ReduceCrossTaskEdgesTest, AGroupThatWaitsByAnotherGroupGoes) {
  const Operation far = Group({Update(kPs)}, "far");
  const Operation train = Group({far, Update(kWorker)}, "train");
  const StepPlan plan = Plan({.targets = {train.name()}});
  EXPECT_EQ(Count(plan, "NoOp"), 0u);
  EXPECT_EQ(Count(plan, "_Send"), 0u);
  EXPECT_EQ(Count(plan, "AssignAddVariableOp"), 2u);
}

TEST_F(ReduceCrossTaskEdgesTest, AGroupOfItsOwnTaskStays) {
  const Operation own = Group({Update(kWorker)}, "own");
  const Operation update = Update(kPs);
  const StepPlan plan = Plan({.targets = {own.name(), update.name()}});
  EXPECT_THAT(NodesOf(plan, kWorker, "NoOp"), ElementsAre("own"));
  EXPECT_EQ(Count(plan, "AssignAddVariableOp"), 2u);
}

TEST_F(ReduceCrossTaskEdgesTest, AGroupThatSomebodyWaitsForStays) {
  const Operation before = Group({Update(kPs)}, "before");
  Output y;
  {
    auto there = b.OnDevice(kWorker);
    auto after = b.ControlDependencies({before});
    y = b.Const(3.0f, "y");
  }
  const StepPlan plan =
      Plan({.fetches = {y.name()}, .targets = {before.name()}});
  EXPECT_THAT(NodesOf(plan, kWorker, "NoOp"), ElementsAre("before"));
  EXPECT_EQ(NodesOf(plan, kPs, "_Send").size(), 1u);
}

// ---- Plans ----

TEST_F(ReduceCrossTaskEdgesTest, AreReducedWithTheOtherPasses) {
  const StepPlan plan = PlanBoth({.passes = &BuiltinPasses()});
  EXPECT_EQ(Count(plan, "_Send"), 0u);
  EXPECT_EQ(Count(plan, "NoOp"), 0u);
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), ElementsAre("c/copy"));
  EXPECT_EQ(NodesOf(plan, kPs, "AssignAddVariableOp").size(), 1u);
}

TEST_F(ReduceCrossTaskEdgesTest, StayWithoutPasses) {
  const StepPlan plan = PlanBoth({});
  EXPECT_EQ(NodesOf(plan, kPs, "_Send").size(), 2u);
  EXPECT_THAT(NodesOf(plan, kWorker, "NoOp"), ElementsAre("train"));
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), IsEmpty());
}

TEST_F(ReduceCrossTaskEdgesTest, StayWhereThePassesAreOff) {
  const StepPlan plan = PlanBoth({.optimizer = {.level = OptimizeLevel::kOff},
                                  .passes = &BuiltinPasses()});
  EXPECT_EQ(NodesOf(plan, kPs, "_Send").size(), 2u);
  EXPECT_THAT(NodesOf(plan, kWorker, "NoOp"), ElementsAre("train"));
  EXPECT_THAT(NodesOf(plan, kWorker, "Const"), IsEmpty());
}

TEST_F(ReduceCrossTaskEdgesTest, RefuseACycle) {
  const Output x = Neg(Const(2.0f));
  const Output y = Neg(x);
  Graph graph = Prepared();
  graph.mutable_node(graph.Find(x.operation().name())).inputs[0] = {
      graph.Find(y.operation().name()), 0};
  EXPECT_EQ(ReduceCrossTaskEdges(graph).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace leat::reduce_cross_task_edges_test
