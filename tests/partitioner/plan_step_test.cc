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

// Returns the names of all nodes with the op `op` in the partition of `task`.
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

TEST_F(PlanStepTest, NodesAfterAnUpdateReadItsReference) {
  const Scope device = b.OnDevice("/job:ps");
  const Variable v = b.Variable("v", b.Const(1.0f), {.use_resource = false});
  const std::vector<Operation> update = {
      op::AssignAdd(v.handle(), 1.0f).operation()};
  const Scope after = b.ControlDependencies(update);
  const Output late = op::Neg(v.value());
  const StepPlan plan = Plan({.fetches = {late.name()}});
  ASSERT_EQ(plan.partitions.size(), 1u);
  const Graph& graph = plan.partitions[0].graph;
  const Node& reader = graph.node(graph.Find(late.operation().name()));
  EXPECT_EQ(graph.node(reader.inputs[0].node).name(), "v");
}

class ConnectionsTest : public PlanStepTest {
 protected:
  ConnectionsTest() {
    x = b.Placeholder<float>("x");
    y = b.Placeholder<float>("y");
    n = b.Placeholder<int32_t>("n");
    neg = op::Neg(x);
    sum = op::Add(neg, y);
  }
  // Returns the error message of a step with `connections`, or "" if the step
  // is accepted.
  std::string Refused(std::vector<TensorConnection> connections,
                      std::vector<std::string> feeds = {"x"},
                      std::vector<std::string> fetches = {}) {
    if (fetches.empty()) fetches = {sum.name()};
    const Graph graph = b.Build().value();
    const auto pruned = PruneToStep(graph, {.feeds = std::move(feeds),
                                            .fetches = std::move(fetches),
                                            .connections = connections});
    return std::string(pruned.status().message());
  }

  Output x, y, n, neg, sum;
};

TEST_F(ConnectionsTest, TakeOneTensorForAnother) {
  const StepPlan plan = Plan({.feeds = {"x"},
                              .fetches = {sum.name()},
                              .connections = {{neg.name(), "y:0"}}});
  ASSERT_EQ(plan.partitions.size(), 1u);
  const Graph& graph = plan.partitions[0].graph;
  const Node& node = graph.node(graph.Find(sum.operation().name()));
  EXPECT_EQ(graph.node(node.inputs[0].node).name(), neg.operation().name());
  EXPECT_EQ(node.inputs[1], node.inputs[0]);
  EXPECT_EQ(graph.Find("y"), kNoNode);
}

TEST_F(ConnectionsTest, MayFollowEachOther) {
  // The value of x, which is fed, is used as the value of y.
  EXPECT_EQ(Refused({{"x", "y"}}), "");
  b.Placeholder<float>("z");
  EXPECT_EQ(Refused({{"x", "z"}, {"z", "y"}}), "");
}

TEST_F(ConnectionsTest, AreRefused) {
  EXPECT_EQ(Refused({{"nobody:0", "y:0"}}),
            "Requested tensor connection from unknown node: \"y:0\".");
  EXPECT_EQ(Refused({{"x:1", "y:0"}}),
            "Requested tensor connection from unknown edge: \"y:0\" (actual "
            "number of outputs = 1).");
  EXPECT_EQ(Refused({{"x:0", "nobody:0"}}),
            "FeedInputs: unable to find feed output nobody:0");
  EXPECT_EQ(Refused({{neg.name(), "x:0"}}),
            "Endpoint \"x:0\" fed more than once.");
  EXPECT_EQ(Refused({{"x:0", "y:0"}, {neg.name(), "y:0"}}),
            "Endpoint \"y:0\" fed more than once.");
  EXPECT_EQ(Refused({{"x:0", "y:0"}}, {"x"}, {"y:0"}),
            "y:0 is both fed and fetched.");
  EXPECT_EQ(Refused({{"n:0", "y:0"}}),
            "Requested tensor connection from \"n:0\", which is int32, to "
            "\"y:0\", which is float");
  EXPECT_THAT(Refused({{"x", "y"}, {"y", "x"}}, {}),
              ::testing::HasSubstr("lead in a circle"));
  // The sum depends on y, so y cannot take the value of the sum.
  EXPECT_NE(Refused({{sum.name(), "y:0"}}), "");
}

TEST_F(PlanStepTest, APartialRunHasItsWholeGraph) {
  const Output x = b.Placeholder<float>("x");
  const Output y = op::Neg(x);
  StepSignature signature{.feeds = {"x"}, .fetches = {y.name()}};
  EXPECT_FALSE(Plan(signature).whole.has_value());
  signature.is_partial = true;
  EXPECT_TRUE(Plan(signature).whole.has_value());
}

TEST_F(PlanStepTest, OnlyReachableFunctionsTravel) {
  const auto add_function = [&](Graph& graph, const std::string& name,
                                const std::string& callee) {
    auto function = std::make_shared<Function>();
    function->signature.name = name;
    FunctionNode node{.name = "calls", .op = "MapDataset"};
    node.attrs.Set("f", FunctionRef{.name = callee});
    function->nodes.push_back(std::move(node));
    ASSERT_EQ(graph.functions().Add(std::move(function)), absl::OkStatus());
  };
  const Output x = b.Placeholder<float>("x");
  const Output y = op::Neg(x);
  Graph graph = b.Build().value();
  for (const auto& [name, callee] :
       std::vector<std::pair<std::string, std::string>>{
           {"outer", "inner"}, {"inner", "inner"}, {"unused", "outer"}}) {
    add_function(graph, name, callee);
  }
  auto def = std::make_shared<NodeDef>(*graph.node(graph.Find("Neg")).def);
  def->attrs.Set("calls", FunctionRef{.name = "outer"});
  OpDef op = *def->op;
  op.attrs.push_back({.name = "calls", .type = "func"});
  def->op = &op;
  graph.Replace(graph.Find("Neg"), def);
  const auto pruned =
      PruneToStep(graph, {.feeds = {"x"}, .fetches = {y.name()}});
  ASSERT_TRUE(pruned.ok()) << pruned.status();
  EXPECT_NE(pruned->graph.functions().Find("outer"), nullptr);
  EXPECT_NE(pruned->graph.functions().Find("inner"), nullptr);
  EXPECT_EQ(pruned->graph.functions().Find("unused"), nullptr);
}

}  // namespace
}  // namespace leat::plan_step_test
