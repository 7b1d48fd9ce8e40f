// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/control_loops.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/placer.h"
#include "leat/partitioner/plan_step.h"
#include "leat/protos/graph.pb.h"

namespace leat::control_loops_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<DeviceInfo> Devices() {
  std::vector<DeviceInfo> devices;
  for (const char* name : {"/job:a/replica:0/task:0/device:CPU:0",
                           "/job:a/replica:0/task:0/device:CPU:1",
                           "/job:b/replica:0/task:0/device:CPU:0",
                           "/job:b/replica:0/task:0/device:CPU:1"}) {
    devices.push_back({.name = name, .type = "CPU", .incarnation = 1});
  }
  return devices;
}

// Returns a short name for a device, such as "a0" for /job:a, CPU:0.
std::string ShortDevice(const Graph& graph, NodeId id) {
  const std::string& name = graph.AssignedDevice(id);
  return absl::StrCat(name.substr(5, 1), name.substr(name.size() - 1));
}

// Returns a text for the node, such as "name = Op(x:0, ^y) on a0".
std::string Describe(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::vector<std::string> inputs;
  for (const Endpoint& input : node.inputs) {
    inputs.push_back(
        absl::StrCat(graph.node(input.node).name(), ":", input.index));
  }
  for (const NodeId control : node.controls) {
    inputs.push_back(absl::StrCat("^", graph.node(control).name()));
  }
  return absl::StrCat(node.name(), " = ", node.op(), "(",
                      absl::StrJoin(inputs, ", "), ") on ",
                      ShortDevice(graph, id));
}

std::vector<std::string> ControlLoops(const Graph& graph) {
  std::vector<std::string> lines;
  for (const NodeId id : graph.NodeIds()) {
    if (absl::StartsWith(graph.node(id).name(), "_cloop")) {
      lines.push_back(Describe(graph, id));
    }
  }
  return lines;
}

class ControlLoopsTest : public ::testing::Test {
 protected:
  // Adds the loop `while (i < limit) i = body(i)`, in which i begins with
  // `start`. Returns the last value of i. The nodes of the loop are named
  // "<frame>/...".
  template <class Body>
  Output While(const std::string& frame, Output start, Output limit,
               Body body) {
    auto scope = b.NameScope(frame);
    const Output n = op::Enter(limit, frame, {.is_constant = true});
    const Output enter = op::Enter(start, frame, {.parallel_iterations = 7});
    const auto merge = op::Merge({enter, enter});
    const Output running = op::LoopCond(op::Less(merge.output, n));
    const auto choice = op::Switch(merge.output, running);
    back_edges_.emplace_back(
        merge.output.operation().id(),
        op::NextIteration(body(choice.output_true)).endpoint());
    return op::Exit(choice.output_false);
  }

  Output On(const std::string& device, Output (*op)(Operand, SourceLocation),
            Output input) {
    auto scope = b.OnDevice(device);
    return op(input, SourceLocation::Current());
  }

  Graph Placed() {
    auto built = b.Build();
    EXPECT_TRUE(built.ok()) << built.status();
    Graph graph = *std::move(built);
    for (const auto& [merge, next] : back_edges_) {
      graph.mutable_node(merge).inputs[1] = next;
    }
    const absl::Status status =
        PlaceGraph(graph, Devices(),
                   {.policy = BuiltinPolicies().Find(kDefaultPolicy).value()});
    EXPECT_TRUE(status.ok()) << status;
    return graph;
  }

  Graph WithControlLoops() {
    Graph graph = Placed();
    const absl::Status status = AddControlLoops(graph);
    EXPECT_TRUE(status.ok()) << status;
    return graph;
  }

  GraphBuilder b;
  std::vector<std::pair<NodeId, Endpoint>> back_edges_;
};

constexpr char kA0[] = "/job:a/cpu:0";
constexpr char kA1[] = "/job:a/cpu:1";
constexpr char kB0[] = "/job:b/cpu:0";
constexpr char kB1[] = "/job:b/cpu:1";

void MoveTo(int device, const std::string& node, Graph& graph) {
  graph.mutable_node(graph.Find(node)).device =
      graph.InternDevice(Devices()[device].name);
}

std::string ErrorOf(Graph graph) { return AddControlLoops(graph).ToString(); }

TEST_F(ControlLoopsTest, ALoopOnOneDeviceStaysAsItIs) {
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [](Output i) { return op::Neg(i); });
  // The device of this node takes part in the graph, but not in the loop.
  On(kB0, op::Neg, b.Placeholder<float>("y"));
  const int before = Placed().num_nodes();
  const Graph graph = WithControlLoops();
  EXPECT_EQ(graph.num_nodes(), before);
  EXPECT_THAT(ControlLoops(graph), IsEmpty());
}

TEST_F(ControlLoopsTest, EachDeviceGetsALoopThatThePredicateDrives) {
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) { return On(kA1, op::Neg, i); });
  const Graph graph = WithControlLoops();
  const std::string p = "_clooploop/LoopCond/";
  EXPECT_THAT(
      ControlLoops(graph),
      ElementsAre(
          // The device of the predicate has a control loop too, because it
          // receives a tensor back from the other device.
          p + "const = Const() on a0",
          p + "enter = Enter(" + p + "const:0) on a0",
          p + "merge = Merge(" + p + "enter:0, " + p + "next:0) on a0",
          p + "switch = Switch(" + p + "merge:0, loop/LoopCond:0) on a0",
          p + "next = NextIteration(" + p + "switch:1) on a0",
          p + "const_1 = Const() on a1",
          p + "enter_1 = Enter(" + p + "const_1:0) on a1",
          p + "merge_1 = Merge(" + p + "enter_1:0, " + p + "next_1:0) on a1",
          p + "switch_1 = Switch(" + p + "merge_1:0, loop/LoopCond:0, ^" + p +
              "merge_1) on a1",
          p + "next_1 = NextIteration(" + p + "switch_1:1) on a1"));
  const Node& enter = graph.node(graph.Find(p + "enter_1"));
  EXPECT_EQ(enter.attrs().Get<std::string>("frame_name").value(), "loop");
  EXPECT_EQ(enter.attrs().Get<int64_t>("parallel_iterations").value(), 7);
  EXPECT_FALSE(enter.attrs().Get<bool>("is_constant").value());
  EXPECT_EQ(Describe(graph, graph.Find("loop/Neg")),
            "loop/Neg = Neg(loop/Switch:1, ^" + p + "merge_1) on a1");
  EXPECT_EQ(
      Describe(graph, graph.Find("loop/NextIteration")),
      "loop/NextIteration = NextIteration(loop/Neg:0, ^" + p + "merge) on a0");
}

TEST_F(ControlLoopsTest, AnInnerLoopIsEnteredFromTheOuterOne) {
  While("outer", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) {
          return While("inner", i, i,
                       [&](Output j) { return On(kA1, op::Neg, j); });
        });
  const Graph graph = WithControlLoops();
  const std::string outer = "_cloopouter/LoopCond/";
  const std::string inner = "_cloopouter/inner/LoopCond/";
  for (const std::string suffix : {"", "_1"}) {
    const NodeId enter = graph.Find(inner + "enter" + suffix);
    ASSERT_NE(enter, kNoNode);
    const Node& from = graph.node(graph.node(enter).inputs[0].node);
    EXPECT_EQ(from.name(), outer + "merge" + suffix);
    EXPECT_EQ(from.device, graph.node(enter).device);
  }
}

// Both calls of PartitionGraph, by task and by device, keep the control edges.
TEST_F(ControlLoopsTest, EveryRecvInALoopHasAControlEdge) {
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) {
          const Output far = On(kB1, op::Exp, On(kB0, op::Neg, i));
          const Output near = On(kA1, op::Tanh, i);
          auto device = b.OnDevice(kA0);
          return op::AddV2(op::AddV2(far, near), i);
        });
  auto plan = PlanStep(Placed(), {.fetches = {"loop/Exit"}}, Devices());
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->partitions.size(), 2u);
  int num_recvs = 0;
  for (const Partition& task : plan->partitions) {
    auto parts = PartitionGraph(task.graph, PartitionBy::kDevice, Devices());
    ASSERT_TRUE(parts.ok()) << parts.status();
    EXPECT_EQ(parts->size(), 2u);
    for (const Partition& part : *parts) {
      auto frames = FindFrames(part.graph);
      ASSERT_TRUE(frames.ok()) << frames.status();
      for (const NodeId id : part.graph.NodeIds()) {
        const Node& node = part.graph.node(id);
        int from_loops = 0;
        for (const NodeId control : node.controls) {
          from_loops += IsControlLoopMerge(part.graph.node(control)) ? 1 : 0;
        }
        if (node.op() != "_Recv") {
          EXPECT_EQ(from_loops, 0) << Describe(part.graph, id);
        } else if (absl::StrContains(node.name(), "loop/")) {
          ++num_recvs;
          EXPECT_EQ(from_loops, 1) << Describe(part.graph, id);
          EXPECT_NE(frames->of_inputs[id], Frames::kRoot);
        }
      }
    }
  }
  // LoopCond is sent to three devices, and i is sent to two. `far` is sent from
  // b0 to b1, and `far` and `near` are sent back.
  EXPECT_EQ(num_recvs, 3 + 2 + 1 + 2);
}

// A worker gets its part of the graph as a message, so the control edges must
// survive export and import.
TEST_F(ControlLoopsTest, TheConventionTravels) {
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) { return On(kB1, op::Exp, On(kB0, op::Neg, i)); });
  auto plan = PlanStep(Placed(), {.fetches = {"loop/Exit"}}, Devices());
  ASSERT_TRUE(plan.ok()) << plan.status();
  pb::GraphDef message;
  ASSERT_TRUE(ExportGraphDef(plan->partitions[1].graph, message,
                             {.assigned_devices = true})
                  .ok());
  auto graph =
      ImportGraphDef(message, BuiltinOps(), {.allow_internal_names = true});
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const NodeId id : graph->NodeIds()) {
    Node& node = graph->mutable_node(id);
    node.device = graph->InternDevice(node.def->device);
  }
  auto parts = PartitionGraph(*graph, PartitionBy::kDevice, Devices());
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  for (const Partition& part : *parts) {
    EXPECT_TRUE(FindFrames(part.graph).ok());
    for (const NodeId id : part.graph.NodeIds()) {
      const Node& node = part.graph.node(id);
      if (node.op() != "_Recv") continue;
      EXPECT_EQ(node.controls.size(), 1u) << Describe(part.graph, id);
    }
  }
}

TEST_F(ControlLoopsTest, EntersAndNextIterationsStandWhereTheyAreUsed) {
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) { return op::Neg(i); });
  Graph graph = Placed();
  // The test moves the Enter and the NextIteration of i away from their Merge.
  // AddControlLoops must move them back, whatever device was requested.
  MoveTo(1, "loop/Enter_1", graph);
  MoveTo(2, "loop/NextIteration", graph);
  ASSERT_TRUE(AddControlLoops(graph).ok());
  EXPECT_EQ(ShortDevice(graph, graph.Find("loop/Enter_1")), "a0");
  EXPECT_EQ(ShortDevice(graph, graph.Find("loop/NextIteration")), "a0");
  EXPECT_THAT(ControlLoops(graph), IsEmpty());
}

TEST_F(ControlLoopsTest, AnInvariantIsEnteredOnEachDeviceThatUsesIt) {
  const Output factor =
      op::Enter(b.Placeholder<float>("f"), "loop", {.is_constant = true});
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) {
          Output there;
          {
            auto device = b.OnDevice(kB0);
            there = op::Mul(i, factor);
          }
          return op::AddV2(there, factor);
        });
  const Graph graph = WithControlLoops();
  EXPECT_EQ(Describe(graph, graph.Find("Enter")), "Enter = Enter(f:0) on b0");
  EXPECT_EQ(Describe(graph, graph.Find("Enter_copy")),
            "Enter_copy = Enter(f:0) on a0");
  EXPECT_EQ(
      graph.node(graph.node(graph.Find("loop/AddV2")).inputs[1].node).name(),
      "Enter_copy");
}

TEST_F(ControlLoopsTest, ControlEdgesFollowTheEntersToo) {
  std::vector<Output> entered;
  std::vector<Operation> awaited;
  for (int i = 0; i < 3; ++i) {
    entered.push_back(op::Enter(b.Placeholder<float>(absl::StrCat("f", i)),
                                "loop", {.is_constant = true}));
    awaited.push_back(entered.back().operation());
  }
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) {
          Output sum = i;
          for (const Output& value : entered) sum = op::AddV2(sum, value);
          auto wait = b.ControlDependencies(awaited);
          return op::AddV2(sum, On(kB0, op::Neg, i));
        });
  const Graph graph = WithControlLoops();
  const auto& controls = graph.node(graph.Find("loop/Neg")).controls;
  EXPECT_NE(graph.Find("Enter_copy"), kNoNode);
  ASSERT_EQ(controls.size(), 4u);  // one is the control loop's Merge
  EXPECT_TRUE(std::is_sorted(controls.begin(), controls.end()));
  for (const NodeId control : controls) {
    EXPECT_EQ(ShortDevice(graph, control), "b0") << Describe(graph, control);
  }
}

// A device that only sends receives nothing that could start its iterations, so
// it needs a control loop.
TEST_F(ControlLoopsTest, ADeviceThatOnlySendsGetsAControlLoopToo) {
  const Output factor =
      op::Enter(b.Placeholder<float>("f"), "loop", {.is_constant = true});
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) { return op::Mul(i, On(kB0, op::Neg, factor)); });
  const Graph graph = WithControlLoops();
  EXPECT_NE(graph.Find("_clooploop/LoopCond/merge_1"), kNoNode);
  EXPECT_EQ(ShortDevice(graph, graph.Find("_clooploop/LoopCond/merge_1")),
            "b0");
}

TEST_F(ControlLoopsTest, ControlEdgesCrossInEveryIterationToo) {
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) {
          const Output there = On(kB0, op::Neg, i);
          auto after = b.ControlDependencies({there.operation()});
          return op::Exp(i);
        });
  auto plan = PlanStep(Placed(), {.fetches = {"loop/Exit"}}, Devices());
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Graph& here = plan->partitions[0].graph;
  const Node& exp = here.node(here.Find("loop/Exp"));
  ASSERT_EQ(exp.controls.size(), 1u);
  const Node& arrived = here.node(exp.controls[0]);
  ASSERT_EQ(arrived.op(), "Identity");
  const Node& recv = here.node(arrived.inputs[0].node);
  ASSERT_EQ(recv.controls.size(), 1u);
  EXPECT_TRUE(IsControlLoopMerge(here.node(recv.controls[0])));
}

TEST_F(ControlLoopsTest, ALoopWithoutAPredicateIsRefusedByName) {
  const Output enter = op::Enter(b.Placeholder<float>("x"), "forever");
  On(kB0, op::Neg, enter + enter);
  EXPECT_THAT(ErrorOf(Placed()),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("'forever'"),
                    HasSubstr("'Neg' on /job:b/replica:0/task:0/device:CPU:0"),
                    HasSubstr("has no LoopCond")));
}

TEST_F(ControlLoopsTest, ALoopWithTwoPredicatesIsRefusedByName) {
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) {
          op::LoopCond(op::Less(i, i));
          return On(kB0, op::Neg, i);
        });
  EXPECT_THAT(
      ErrorOf(Placed()),
      AllOf(HasSubstr("'loop'"), HasSubstr("two predicates"),
            HasSubstr("'loop/LoopCond'"), HasSubstr("'loop/LoopCond_1'")));
}

// A node that runs only in the first iteration sends nothing in the second one,
// so its _Recv would then wait forever.
TEST_F(ControlLoopsTest, WhatDoesNotRunInEveryIterationIsNotSent) {
  const Output first = op::Enter(b.Placeholder<float>("f"), "loop");
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) {
          const Output once = op::AddV2(i, op::Neg(first));
          return On(kB0, op::Exp, once);
        });
  EXPECT_THAT(ErrorOf(Placed()),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("'loop'"),
                    HasSubstr("'loop/AddV2' does not run in every iteration, "
                              "because of 'Enter' (op Enter)")));
}

TEST_F(ControlLoopsTest, APredicateMustComeInEveryIteration) {
  const Output enter = op::Enter(b.Placeholder<bool>("p"), "loop");
  const Output running = op::LoopCond(enter);
  const Output constant =
      op::Enter(b.Placeholder<float>("x"), "loop", {.is_constant = true});
  On(kB0, op::Neg, op::Switch(constant, running).output_true);
  EXPECT_THAT(ErrorOf(Placed()),
              AllOf(HasSubstr("'LoopCond' does not run in every iteration"),
                    HasSubstr("'Enter'")));
}

// A client may nest loops as deeply as the limit allows, but no deeper.
TEST_F(ControlLoopsTest, LoopsNestNoDeeperThanTheLimit) {
  const auto nest = [](int depth) {
    GraphBuilder b;
    Output x = b.Placeholder<float>("x");
    for (int i = 0; i < depth; ++i) x = op::Enter(x, absl::StrCat("f", i));
    auto device = b.OnDevice(kB0);
    op::Neg(b.Placeholder<float>("y"));
    Graph graph = b.Build().value();
    EXPECT_TRUE(
        PlaceGraph(graph, Devices(),
                   {.policy = BuiltinPolicies().Find(kDefaultPolicy).value()})
            .ok());
    return AddControlLoops(graph).ToString();
  };
  EXPECT_EQ(nest(kMaxFrameDepth), "OK");
  EXPECT_THAT(nest(kMaxFrameDepth + 1),
              HasSubstr("loop 'f256' is nested 257 deep; the limit is 256"));
  EXPECT_THAT(nest(10'000), HasSubstr("the limit is 256"));
}

// The test adds no control loop, as if the planner had forgotten it. Without
// the control loop, the step would wait forever.
TEST_F(ControlLoopsTest, ACutInALoopWithoutOneIsRefused) {
  While("loop", b.Placeholder<float>("x"), b.Placeholder<float>("n"),
        [&](Output i) { return On(kA1, op::Neg, i); });
  const absl::Status status =
      PartitionGraph(Placed(), PartitionBy::kDevice, Devices()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("'loop'"), HasSubstr("'_cloop' Merge")));
}

}  // namespace
}  // namespace leat::control_loops_test
