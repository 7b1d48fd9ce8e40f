// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compares graphs that were extended step by step with graphs that were placed
// as a whole, and tests when the whole graph has to be prepared again.
#include "leat/partitioner/prepared_graph.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/io/extend_graph.h"
#include "leat/graph/lowering/lower.h"
#include "leat/partitioner/placer.h"
#include "leat/tests/testing/random_pieces.h"

namespace leat::prepared_graph_test {
namespace {

constexpr char kCpu0[] = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr char kCpu1[] = "/job:worker/replica:0/task:0/device:CPU:1";
constexpr char kPs0[] = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr char kGpu0[] = "/job:worker/replica:0/task:0/device:GPU:0";

std::vector<DeviceInfo> Cluster() {
  std::vector<DeviceInfo> devices;
  for (const char* name : {kCpu0, kCpu1, kPs0}) {
    devices.push_back({.name = name, .type = kCpu, .incarnation = 1});
  }
  return devices;
}

class PreparedGraphTest : public ::testing::Test {
 protected:
  // Imports a graph as the client's graph, and prepares all of it.
  PreparedGraph Whole(const std::string& text) {
    client = ImportText(Functions() + text, BuiltinOps());
    auto graph = PrepareGraph(client, devices, options);
    EXPECT_TRUE(graph.ok()) << graph.status();
    return PreparedGraph(graph.ok() ? *std::move(graph) : Graph(BuiltinOps()));
  }

  // Extends the client's graph, and then extends `graph` in the same way.
  // Returns false if `graph` cannot be extended.
  bool Extend(const std::string& text, PreparedGraph& graph) {
    const auto extension =
        ExtendGraph(ParseGraph(text), client, TotalsOf(client), {});
    EXPECT_TRUE(extension.ok()) << extension.status();
    if (!extension.ok()) return false;
    return Add(extension->addition, graph);
  }
  bool Add(const GraphAddition& addition, PreparedGraph& graph) {
    const auto prepared =
        graph.Prepare(client, addition.first, devices, options);
    if (!prepared.has_value()) return false;
    graph.Add(*prepared, addition, client);
    return true;
  }

  std::string DeviceOf(const PreparedGraph& graph, const std::string& name) {
    return graph.graph().AssignedDevice(graph.graph().Find(name));
  }

  // Lowers and places the whole graph of the client. The nodes of `before` keep
  // their devices.
  absl::StatusOr<Graph> PlacedAround(const Graph& before) {
    Graph graph = client;
    LEAT_RETURN_IF_ERROR(LowerFunctions(graph));
    for (const NodeId id : before.NodeIds()) {
      const NodeId now = graph.Find(before.node(id).name());
      EXPECT_NE(now, kNoNode);
      graph.mutable_node(now).device =
          graph.InternDevice(before.AssignedDevice(id));
    }
    LEAT_RETURN_IF_ERROR(
        PlaceGraph(graph, devices,
                   {.policy = BuiltinPolicies().Find(kDefaultPolicy).value()}));
    return graph;
  }

  Graph client{BuiltinOps()};
  std::vector<DeviceInfo> devices = Cluster();
  PrepareOptions options{.policies = &BuiltinPolicies()};
};

TEST_F(PreparedGraphTest, RandomExtensionsAreThoseOfTheWholeGraph) {
  int num_added = 0;
  int num_refused = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomPieces pieces(
        seed, {.devices = {"/cpu:1", "/job:ps"}, .with_variables = true});
    std::mt19937_64 random(seed);
    const auto some = [&](size_t most) {
      std::string text;
      for (size_t i = 0; i < 1 + random() % most; ++i) text += pieces.Next();
      return text;
    };
    client = ImportText(Functions() + some(20), BuiltinOps());
    auto first = PrepareGraph(client, devices, options);
    if (!first.ok()) continue;  // constraints contradict each other
    PreparedGraph graph(*std::move(first));
    GraphTotals totals = TotalsOf(client);
    for (int i = 0; i < 4; ++i) {
      const Graph before = graph.graph();
      auto extension =
          ExtendGraph(ParseGraph(Functions() + some(4)), client, totals, {});
      ASSERT_TRUE(extension.ok()) << extension.status();
      totals.Add(extension->totals);
      const GraphTotals counted = TotalsOf(client);
      EXPECT_EQ(totals.nodes, counted.nodes);
      EXPECT_EQ(totals.edges, counted.edges);
      EXPECT_EQ(totals.outputs, counted.outputs);
      EXPECT_EQ(totals.called_nodes, counted.called_nodes);
      EXPECT_EQ(totals.in_loops, counted.in_loops);
      EXPECT_EQ(totals.frame_names, counted.frame_names);
      if (!Add(extension->addition, graph)) {
        ++num_refused;
        break;
      }
      ++num_added;
      const auto whole = PlacedAround(before);
      ASSERT_TRUE(whole.ok()) << whole.status();
      ASSERT_EQ(Difference(graph.graph(), *whole), "");
    }
  }
  EXPECT_GT(num_added, 500);
  EXPECT_GT(num_refused, 20);
}

TEST_F(PreparedGraphTest, NewNodesGoWhereTheirNeighboursStay) {
  PreparedGraph graph =
      Whole(NodeText("v", "VarHandleOp", {},
                     Attr("dtype", "type: DT_FLOAT") +
                         Attr("shape", "shape {}") + On("/job:ps")) +
            FloatPlaceholder("x") + Neg("old", "x", On("/cpu:1")));
  ASSERT_TRUE(
      Extend(NodeText("assign", "AssignVariableOp", {"v", "x"},
                      Attr("dtype", "type: DT_FLOAT") + On("/job:worker")) +
                 Neg("beside", "x", With(Loc("old"))) +
                 NodeText("shape", "Shape", {"old"}, Float()),
             graph));
  EXPECT_EQ(DeviceOf(graph, "assign"), kPs0);
  EXPECT_EQ(DeviceOf(graph, "beside"), kCpu1);
  EXPECT_EQ(DeviceOf(graph, "shape"), kCpu1);
}

// An older node may be colocated with a node that is added only later.
TEST_F(PreparedGraphTest, ColocatesWithANodeThatComesLater) {
  PreparedGraph graph = Whole(FloatPlaceholder("x") +
                              Neg("a", "x", With(Loc("later")) + On("/cpu:1")));
  ASSERT_TRUE(Extend(Neg("b", "x", With(Loc("later"))), graph));
  EXPECT_EQ(DeviceOf(graph, "b"), kCpu1);
  ASSERT_TRUE(Extend(Neg("later", "x"), graph));
  EXPECT_EQ(DeviceOf(graph, "later"), kCpu1);
}

TEST_F(PreparedGraphTest, WhatNeedsAnOlderNodeToMoveIsRefused) {
  const std::string nodes =
      FloatPlaceholder("x") + Neg("a", "x") + Neg("b", "x", On("/cpu:1"));
  for (const std::string& text :
       {Neg("c", "x", With(Loc("a") + Loc("b"))),
        Neg("c", "x", With(Loc("a")) + On("/job:ps"))}) {
    PreparedGraph graph = Whole(nodes);
    const int before = graph.graph().num_ids();
    EXPECT_FALSE(Extend(text, graph)) << text;
    EXPECT_EQ(graph.graph().num_ids(), before);
    auto whole = PrepareGraph(client, devices, options, &graph.graph());
    EXPECT_TRUE(whole.ok()) << whole.status();
  }
}

// An update must be on the device of its variable. If the two request devices
// that contradict each other, the update is refused.
TEST_F(PreparedGraphTest, WhatTheWholeGraphRefusesIsRefused) {
  const std::string dtype = Attr("dtype", "type: DT_FLOAT");
  PreparedGraph graph =
      Whole(FloatPlaceholder("x") +
            NodeText("v", "VarHandleOp", {},
                     dtype + Attr("shape", "shape {}") + On("/job:ps")));
  EXPECT_FALSE(Extend(
      NodeText("assign", "AssignVariableOp", {"v", "x"}, dtype + On("/cpu:1")),
      graph));
  EXPECT_FALSE(PrepareGraph(client, devices, options, &graph.graph()).ok());
}

// With soft placement, a new node may be placed on the device of an older node
// instead of the requested device. This is refused if the new node has no
// kernel there.
TEST_F(PreparedGraphTest, NoNodeGoesWhereItHasNoKernel) {
  devices.push_back({.name = kGpu0, .type = kGpu, .incarnation = 1});
  options.allow_soft_placement = true;
  const Graph old = ImportText(
      FloatPlaceholder("x") +
          NodeText("tags", "Placeholder", {}, Attr("dtype", "type: DT_STRING")),
      BuiltinOps());
  client = old;
  Graph placed = old;
  placed.mutable_node(0).device = placed.InternDevice(kGpu0);
  placed.mutable_node(1).device = placed.InternDevice(kCpu0);
  PreparedGraph graph(std::move(placed));
  const auto summary = [](const char* name, const std::string& attrs) {
    return NodeText(name, "ScalarSummary", {"tags", "x"}, Float() + attrs);
  };
  EXPECT_FALSE(Extend(summary("y", With(Loc("x"))), graph));
  EXPECT_TRUE(Extend(summary("z", ""), graph));
  EXPECT_EQ(DeviceOf(graph, "z"), kCpu0);
}

TEST_F(PreparedGraphTest, ANameThatLoweringHasMadeIsRefused) {
  const std::string nodes = FloatPlaceholder("x") + Neg("f/n", "x");
  {
    PreparedGraph graph = Whole(nodes + FunctionCall("g", "x"));
    ASSERT_NE(graph.graph().Find("g/n"), kNoNode);
    EXPECT_FALSE(Extend(Neg("g/n", "g"), graph));
  }
  {
    PreparedGraph graph = Whole(nodes);
    EXPECT_FALSE(Extend(FunctionCall("f", "x"), graph));
  }
  {
    PreparedGraph graph =
        Whole(nodes + NodeText("enter", "Enter", {"x"},
                               Float() + Attr("frame_name", "s: \"loop\"")));
    EXPECT_FALSE(Extend(FunctionLoop("loop", "x"), graph));
  }
}

// A new node that uses the result of a call reads a node of the function's
// body.
TEST_F(PreparedGraphTest, ResultsOfOlderCallsComeFromTheirBodies) {
  PreparedGraph graph = Whole(FloatPlaceholder("x") + FunctionCall("f", "x") +
                              FunctionLoop("loop", "f"));
  ASSERT_TRUE(Extend(Neg("y", "f") + Neg("z", "loop") +
                         NodeText("after", "NoOp", {"^loop", "^f"}),
                     graph));
  const Graph& g = graph.graph();
  EXPECT_EQ(g.node(g.node(g.Find("y")).inputs[0].node).name(), "f/n");
  EXPECT_EQ(g.node(g.node(g.Find("z")).inputs[0].node).op(), "Exit");
  const auto whole = PlacedAround(Graph(BuiltinOps()));
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(Difference(g, *whole), "");
}

TEST_F(PreparedGraphTest, AddsToALoop) {
  const auto loop = [](const std::string& name, const std::string& input) {
    return NodeText(name, "Enter", {input},
                    Float() + Attr("frame_name", "s: \"loop\""));
  };
  PreparedGraph graph = Whole(FloatPlaceholder("x") + loop("enter", "x"));
  ASSERT_TRUE(Extend(Neg("inside", "enter"), graph));
  ASSERT_TRUE(Extend(
      Neg("more", "inside") + NodeText("exit", "Exit", {"more"}, Float()),
      graph));
  EXPECT_TRUE(TotalsOf(client).in_loops.contains(client.Find("more")));
  EXPECT_FALSE(TotalsOf(client).in_loops.contains(client.Find("exit")));
  EXPECT_FALSE(Extend(loop("again", "x"), graph));
}

TEST_F(PreparedGraphTest, TheLimitsAreThoseOfTheWholeGraph) {
  options.lower_limits.max_nodes = 12;
  PreparedGraph graph = Whole(FloatPlaceholder("x"));
  EXPECT_TRUE(Extend(FunctionCall("f", "x"), graph));
  EXPECT_FALSE(Extend(FunctionLoop("loop", "x"), graph));
}

TEST_F(PreparedGraphTest, RoundRobinGoesOn) {
  options.placement_policy = "round_robin";
  PreparedGraph graph = Whole(FloatPlaceholder("x"));
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(Extend(Neg(name, "x"), graph));
  }
  EXPECT_EQ(DeviceOf(graph, "a"), kCpu1);
  EXPECT_EQ(DeviceOf(graph, "b"), kPs0);
  EXPECT_EQ(DeviceOf(graph, "c"), kCpu0);
}

TEST_F(PreparedGraphTest, LogsOnlyTheNewNodes) {
  std::vector<std::string> lines;
  PreparedGraph graph = Whole(FloatPlaceholder("x"));
  options.log_placement = [&](absl::string_view line) {
    lines.emplace_back(line);
  };
  ASSERT_TRUE(Extend(Neg("a", "x"), graph));
  EXPECT_THAT(lines, ::testing::ElementsAre(absl::StrCat("a: (Neg): ", kCpu0)));
}

}  // namespace
}  // namespace leat::prepared_graph_test
