// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Simulates loops and branches that the planner has lowered and cut.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/policy.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/partitioner/simulation/simulator.h"
#include "leat/tests/partitioner/simulation/hand_made_step.h"

namespace leat::loops_test {
namespace {

using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class LoopsTest : public ::testing::Test {
 protected:
  explicit LoopsTest(ClusterModel cluster = OneHost(4))
      : model(std::move(cluster)) {}

  // Plans a step that computes `fetch`, and cuts it by device.
  void Plan(const Output& fetch) {
    auto graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    PrepareOptions options;
    options.policies = &BuiltinPolicies();
    const std::vector<DeviceInfo> devices = model.DeviceInfos();
    auto prepared = PrepareGraph(*graph, devices, options);
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    auto plan = PlanStep(*prepared, {.fetches = {fetch.name()}}, devices);
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (Partition& task : plan->partitions) {
      auto cut =
          PartitionGraph(std::move(task.graph), PartitionBy::kDevice, devices);
      ASSERT_TRUE(cut.ok()) << cut.status();
      for (Partition& part : *cut) parts.push_back(std::move(part));
    }
  }

  // Simulates the planned step. A node takes the seconds of its op.
  absl::StatusOr<SimulatedStep> TrySimulate(const SimulationOptions& options) {
    std::vector<std::vector<NodeCost>> costs;
    for (const Partition& part : parts) {
      costs.emplace_back(part.graph.num_ids());
      for (const NodeId id : part.graph.NodeIds()) {
        const Node& node = part.graph.node(id);
        NodeCost& cost = costs.back()[id];
        cost.output_bytes.assign(node.num_outputs(), 0);
        if (seconds.contains(node.op())) cost.seconds = seconds[node.op()];
        if (runs.contains(node.op())) cost.runs_per_step = runs[node.op()];
      }
    }
    return leat::Simulate(model, parts, costs, options);
  }
  SimulatedStep Simulate(const SimulationOptions& options = {}) {
    auto simulation = TrySimulate(options);
    EXPECT_TRUE(simulation.ok()) << simulation.status();
    return simulation.ok() ? *std::move(simulation) : SimulatedStep();
  }

  int CountRuns(const SimulatedStep& simulation, const std::string& op) {
    int count = 0;
    for (const SimulatedRun& run : simulation.runs) {
      count += parts[run.part].graph.node(run.node).op() == op ? 1 : 0;
    }
    return count;
  }

  // A loop that computes v = tanh(v) while less than `limit` turns are over.
  Output Loop(int limit) {
    return While(
        {b.Const(0), b.Const(0.5f)},
        [&](auto v) { return op::Less(v[0], limit); },
        [&](auto v) {
          return std::vector<Output>{v[0] + 1, op::Tanh(v[1])};
        })[1];
  }

  // Loops that lie in each other, each of which turns once.
  Output Nested(int depth, const Output& value) {
    if (depth == 0) return op::Tanh(value);
    return While(
        {b.Const(0), value}, [&](auto v) { return op::Less(v[0], 1); },
        [&](auto v) {
          return std::vector<Output>{v[0] + 1, Nested(depth - 1, v[1])};
        })[1];
  }

  ClusterModel model;
  GraphBuilder b;
  std::vector<Partition> parts;
  std::map<std::string, double> seconds;  // by op
  std::map<std::string, double> runs;     // per step, by op
};

TEST_F(LoopsTest, ALoopThatWasNotMeasuredTurnsOnce) {
  Plan(Loop(10));
  seconds = {{"Tanh", 1}, {"Less", 10}};
  const SimulatedStep simulation = Simulate();
  EXPECT_EQ(CountRuns(simulation, "Tanh"), 1);
  EXPECT_EQ(CountRuns(simulation, "Less"), 2) << "once to end the loop";
  EXPECT_EQ(simulation.step_seconds, 21);
  ASSERT_THAT(simulation.loops, SizeIs(1));
  EXPECT_TRUE(simulation.loops[0].is_assumed);
  EXPECT_EQ(simulation.loops[0].trips, 1);
}

TEST_F(LoopsTest, ALoopTurnsAsOftenAsWasMeasured) {
  Plan(Loop(10));
  seconds = {{"Tanh", 1}, {"Less", 10}};
  runs = {{"NextIteration", 5}};
  const SimulatedStep simulation = Simulate();
  EXPECT_EQ(CountRuns(simulation, "Tanh"), 5);
  EXPECT_EQ(CountRuns(simulation, "Less"), 6);
  EXPECT_EQ(CountRuns(simulation, "Exit"), 2) << "one for each variable";
  EXPECT_EQ(simulation.step_seconds, 65);
  EXPECT_EQ(simulation.work_seconds, 65);
  EXPECT_LE(simulation.bound_seconds, simulation.step_seconds);
  ASSERT_THAT(simulation.loops, SizeIs(1));
  EXPECT_FALSE(simulation.loops[0].is_assumed);
  EXPECT_EQ(simulation.loops[0].trips, 5);
  EXPECT_EQ(simulation.loops[0].simulated_trips, 5);
}

TEST_F(LoopsTest, ALoopMayNotTurnAtAll) {
  Plan(Loop(10));
  seconds = {{"Tanh", 1}, {"Less", 10}};
  runs = {{"NextIteration", 0}};
  const SimulatedStep simulation = Simulate();
  EXPECT_EQ(CountRuns(simulation, "Tanh"), 0);
  EXPECT_EQ(CountRuns(simulation, "Exit"), 2) << "one for each variable";
  EXPECT_EQ(simulation.step_seconds, 10);
}

TEST_F(LoopsTest, FewLongIterationsStandForMany) {
  Plan(Loop(10));
  seconds = {{"Tanh", 1}};
  runs = {{"NextIteration", 1e6}};
  const SimulatedStep simulation = Simulate({.max_runs = 10'000});
  EXPECT_LE(simulation.runs.size(), 10'000u);
  EXPECT_NEAR(simulation.step_seconds, 1e6, 1);
  EXPECT_EQ(simulation.loops[0].trips, 1e6);
  EXPECT_LT(simulation.loops[0].simulated_trips, 10'000);
}

TEST_F(LoopsTest, AnInnerLoopTurnsInEachTurnOfTheOuterOne) {
  const Output y = While(
      {b.Const(0), b.Const(0.5f)}, [&](auto v) { return op::Less(v[0], 2); },
      [&](auto v) {
        const auto inner = While(
            {b.Const(0), v[1]}, [&](auto w) { return op::LessEqual(w[0], 3); },
            [&](auto w) {
              return std::vector<Output>{w[0] + 1, op::Tanh(w[1])};
            });
        return std::vector<Output>{v[0] + 1, op::Sigmoid(inner[1])};
      })[1];
  Plan(y);
  seconds = {{"Tanh", 1}, {"Sigmoid", 100}};
  const SimulatedStep once = Simulate();
  EXPECT_EQ(CountRuns(once, "Tanh"), 1);
  EXPECT_EQ(once.step_seconds, 101);
  // The NextIterations of both loops have the same op and thus the same number
  // of runs here: the outer loop turns 6 times, and the inner loop once in
  // each.
  runs = {{"NextIteration", 6}};
  const SimulatedStep six = Simulate();
  EXPECT_EQ(CountRuns(six, "Tanh"), 6);
  EXPECT_EQ(CountRuns(six, "Sigmoid"), 6);
  EXPECT_EQ(six.step_seconds, 606);
}

TEST_F(LoopsTest, ALoopWithoutANextIterationNeverTurns) {
  Plan(op::Exit(op::Tanh(op::Enter(b.Const(0.5f), "loop"))));
  seconds = {{"Tanh", 1}};
  const SimulatedStep simulation = Simulate();
  EXPECT_EQ(CountRuns(simulation, "Tanh"), 1);
  EXPECT_EQ(CountRuns(simulation, "_Retval"), 1);
  EXPECT_EQ(simulation.step_seconds, 1);
  ASSERT_THAT(simulation.loops, SizeIs(1));
  EXPECT_EQ(simulation.loops[0].trips, 0);
  EXPECT_FALSE(simulation.loops[0].is_assumed);
}

// Each loop that lies in another one doubles the runs of its nodes.
TEST_F(LoopsTest, LoopsInLoopsMayNotMultiplyRunsWithoutALimit) {
  Plan(Nested(6, b.Const(0.5f)));
  EXPECT_TRUE(TrySimulate({.max_runs = 10'000}).ok());
  const auto refused = TrySimulate({.max_runs = 100});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted)
      << refused.status();
}

TEST_F(LoopsTest, BothBranchesRunIfNobodyHasMeasuredThem) {
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  Plan(Cond(
      op::Less(b.Const(0.5f), x),
      [&] { return std::vector<Output>{op::Tanh(x)}; },
      [&] { return std::vector<Output>{op::Sigmoid(x)}; })[0]);
  seconds = {{"Tanh", 1}, {"Sigmoid", 10}};
  EXPECT_EQ(Simulate().step_seconds, 11);
  runs = {{"Tanh", 1}, {"Sigmoid", 0}};
  const SimulatedStep measured = Simulate();
  EXPECT_EQ(measured.step_seconds, 1);
  EXPECT_EQ(CountRuns(measured, "Sigmoid"), 0);
  EXPECT_EQ(CountRuns(measured, "_Retval"), 1);
  runs = {{"Tanh", 0.5}, {"Sigmoid", 0.5}};
  EXPECT_EQ(Simulate().step_seconds, 5.5);
}

// A loop over two hosts, whose parts follow the condition by control loops.
class LoopOverHostsTest : public LoopsTest {
 protected:
  LoopOverHostsTest() : LoopsTest(SeveralHosts(2, 2, kLatency, 1e9)) {}

  static constexpr double kLatency = 0.25;
};

TEST_F(LoopOverHostsTest, EachTurnWaitsForTheMessages) {
  const Output y = While(
      {b.Const(0), b.Const(0.5f)}, [&](auto v) { return op::Less(v[0], 4); },
      [&](auto v) {
        auto there = b.OnDevice("/job:worker/task:1");
        const Output far = op::Tanh(v[1]);
        auto here = b.OnDevice("/job:worker/task:0");
        return std::vector<Output>{v[0] + 1, op::Sigmoid(far)};
      })[1];
  Plan(y);
  ASSERT_THAT(parts, SizeIs(2));
  seconds = {{"Tanh", 1}, {"Sigmoid", 2}};
  const auto time_of = [&](double turns) {
    runs["NextIteration"] = turns;
    const SimulatedStep simulation = Simulate();
    EXPECT_EQ(CountRuns(simulation, "Tanh"), turns);
    EXPECT_EQ(CountRuns(simulation, "Sigmoid"), turns);
    EXPECT_LE(simulation.bound_seconds, simulation.step_seconds);
    EXPECT_EQ(simulation.critical_path_seconds, 3 * turns);
    return simulation.step_seconds;
  };
  // A turn computes 3 seconds and waits for a message there and one back.
  const double turn = time_of(9) - time_of(8);
  EXPECT_THAT(turn, DoubleEq(time_of(5) - time_of(4)));
  EXPECT_GE(turn, 3 + 2 * kLatency);
  EXPECT_LE(turn, 3 + 4 * kLatency);
}

// A loop whose end nothing waits for. In each turn, task 0 sends a tensor to
// task 1 and gets one back.
class LoopWithoutAnExitTest : public LoopOverHostsTest {
 protected:
  void SetUp() override {
    const Output limit = b.Const(4);
    Plan(While(
        {b.Const(0), b.Const(0.5f)},
        [&](auto v) { return op::Less(v[0], limit); },
        [&](auto v) {
          auto there = b.OnDevice("/job:worker/task:1");
          const Output far = op::Tanh(v[1]);
          auto here = b.OnDevice("/job:worker/task:0");
          return std::vector<Output>{v[0] + 1, op::Sigmoid(far)};
        })[1]);
    ASSERT_THAT(parts, SizeIs(2));
    const Consumers consumers(graph());
    std::vector<NodeId> after = Find("Exit");
    for (size_t i = 0; i < after.size(); ++i) {
      for (const Use& use : consumers.Of(after[i])) after.push_back(use.node);
    }
    for (const NodeId id : after) {
      if (graph().Contains(id)) graph().Remove(id);
    }
    ASSERT_EQ(TrySimulate({}).status(), absl::OkStatus());
  }

  Graph& graph() { return parts[0].graph; }
  std::vector<NodeId> Find(const std::string& op) {
    std::vector<NodeId> found;
    for (const NodeId id : graph().NodeIds()) {
      if (graph().node(id).op() == op) found.push_back(id);
    }
    return found;
  }
  void ExpectStuck(const std::string& node) {
    EXPECT_THAT(std::string(TrySimulate({}).status().message()),
                AllOf(HasSubstr(node), HasSubstr("never gets all its inputs")));
  }
};

TEST_F(LoopWithoutAnExitTest, NamesANodeThatNeverRuns) {
  for (const NodeId send : Find("_Send")) {
    graph().AddControl(Find("Sigmoid").at(0), send);
  }
  ExpectStuck("Sigmoid");
}

// The limit of the loop is there in the first iteration only.
TEST_F(LoopWithoutAnExitTest, NamesANextIterationThatLacksATurn) {
  for (const NodeId id : Find("Enter")) {
    auto def = std::make_shared<NodeDef>(*graph().node(id).def);
    def->attrs.Set("is_constant", false);
    graph().Replace(id, std::move(def));
  }
  ExpectStuck("next_iteration");
}

// Task 0 sends one tensor in each turn, and another one after the loop.
TEST_F(LoopOverHostsTest, ABundleIsInOneLoop) {
  const Output last = While(
      {b.Const(0), b.Const(0.5f)}, [&](auto v) { return op::Less(v[0], 4); },
      [&](auto v) {
        auto there = b.OnDevice("/job:worker/task:1");
        const Output next = op::Tanh(v[1]);
        return std::vector<Output>{v[0] + 1, next};
      })[0];
  auto there = b.OnDevice("/job:worker/task:1");
  Plan(op::Neg(last));
  ASSERT_THAT(parts, SizeIs(2));
  ASSERT_TRUE(TrySimulate({}).ok());
  SetBundle(parts[1].graph);
  const auto simulation = TrySimulate({});
  EXPECT_EQ(simulation.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(simulation.status().message(),
              HasSubstr("is in a bundle of another loop"));
}

}  // namespace
}  // namespace leat::loops_test
