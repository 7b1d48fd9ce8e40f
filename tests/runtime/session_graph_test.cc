// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/session_graph.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/device_set.h"

namespace leat::session_graph_test {
namespace {

using ::testing::HasSubstr;

class SessionGraphTest : public ::testing::Test {
 protected:
  SessionGraphTest() { first = b.Const(1.0f, "first"); }

  static PrepareOptions Options(const std::string& policy = kDefaultPolicy) {
    return {.placement_policy = policy, .policies = &BuiltinPolicies()};
  }
  std::unique_ptr<SessionGraph> Create(
      const std::string& policy = kDefaultPolicy) {
    auto graph =
        SessionGraph::Create(b.Build().value(), infos_, Options(policy));
    EXPECT_TRUE(graph.ok()) << graph.status();
    return *std::move(graph);
  }
  // Returns a GraphDef of Neg nodes. Each pair is the name of a node and the
  // name of its input.
  static pb::GraphDef Negations(
      const std::vector<std::pair<std::string, std::string>>& nodes,
      const std::string& device = "") {
    pb::GraphDef def;
    for (const auto& [name, input] : nodes) {
      pb::NodeDef& node = *def.add_node();
      node.set_name(name);
      node.set_op("Neg");
      node.set_device(device);
      node.add_input(input);
      (*node.mutable_attr())["T"].set_type(pb::DT_FLOAT);
    }
    return def;
  }
  static bool Has(const SessionGraph& graph, const std::string& name) {
    return graph.prepared()->Find(name) != kNoNode;
  }

  const std::unique_ptr<DeviceSet> devices_ =
      DeviceSet::Create({.num_cpus = 2, .num_threads = 1}).value();
  const std::vector<DeviceInfo> infos_ = devices_->Infos();
  GraphBuilder b;
  Output first;
};

TEST_F(SessionGraphTest, PreparesTheClientsGraph) {
  const auto graph = Create();
  EXPECT_EQ(graph->version(), 0);
  const auto prepared = graph->prepared();
  const NodeId node = prepared->Find("first");
  ASSERT_NE(node, kNoNode);
  EXPECT_EQ(prepared->AssignedDevice(node), infos_[0].name);
}

TEST_F(SessionGraphTest, RefusesAGraphThatCannotBePlaced) {
  auto device = b.OnDevice("/job:elsewhere");
  op::Neg(first);
  const auto graph = SessionGraph::Create(b.Build().value(), infos_, Options());
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(SessionGraphTest, ExtendTakesWhatIsNew) {
  const auto graph = Create();
  const auto before = graph->prepared();
  op::Neg(first);
  ASSERT_TRUE(graph->Extend(b.Build().value()).ok());
  EXPECT_TRUE(Has(*graph, "Neg"));
  EXPECT_EQ(graph->version(), 1);
  // A step may still be planned with the old graph, `before`. That graph is
  // unchanged.
  EXPECT_EQ(before->Find("Neg"), kNoNode);
}

TEST_F(SessionGraphTest, ExtendAtVersionAddsToWhatIsThere) {
  const auto graph = Create();
  ASSERT_TRUE(graph->ExtendAtVersion(Negations({{"a", "first"}}), 0, {}).ok());
  ASSERT_TRUE(
      graph->ExtendAtVersion(Negations({{"b", "a"}, {"c", "b"}}), 1, {}).ok());
  EXPECT_TRUE(Has(*graph, "a"));
  EXPECT_TRUE(Has(*graph, "c"));
  EXPECT_EQ(graph->version(), 2);
}

// After a failure, a client sends the nodes again with its next extension.
TEST_F(SessionGraphTest, AFailedExtensionLeavesTheGraphAsItWas) {
  const auto graph = Create();
  const auto before = graph->prepared();
  const auto expect_unchanged = [&] {
    EXPECT_EQ(graph->prepared(), before);
    EXPECT_EQ(graph->version(), 0);
  };
  // This extension does not fit the graph.
  EXPECT_FALSE(
      graph
          ->ExtendAtVersion(Negations({{"a", "first"}, {"b", "absent"}}), 0, {})
          .ok());
  expect_unchanged();
  // This extension fits, but cannot be placed.
  EXPECT_FALSE(graph
                   ->ExtendAtVersion(
                       Negations({{"a", "first"}}, "/job:elsewhere"), 0, {})
                   .ok());
  expect_unchanged();
  GraphBuilder other;
  {
    auto device = other.OnDevice("/job:elsewhere");
    other.Const(1.0f, "a");
  }
  EXPECT_FALSE(graph->Extend(other.Build().value()).ok());
  expect_unchanged();
  ImportLimits small;
  small.max_nodes = 2;
  EXPECT_EQ(
      graph->ExtendAtVersion(Negations({{"a", "first"}, {"b", "a"}}), 0, small)
          .status()
          .code(),
      absl::StatusCode::kResourceExhausted);
  expect_unchanged();

  ASSERT_TRUE(
      graph->ExtendAtVersion(Negations({{"a", "first"}, {"b", "a"}}), 0, {})
          .ok());
  EXPECT_TRUE(Has(*graph, "b"));
}

TEST_F(SessionGraphTest, ExtendAtVersionRefusesAnother) {
  const auto graph = Create();
  auto version = graph->ExtendAtVersion(Negations({{"a", "first"}}), 0, {});
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(*version, 1);
  version = graph->ExtendAtVersion(Negations({{"b", "a"}}), 0, {});
  EXPECT_EQ(version.status(),
            absl::AbortedError("Current version is 1 but caller expected 0."));
  EXPECT_FALSE(Has(*graph, "b"));
  // A failed extension makes no new version.
  version = graph->ExtendAtVersion(Negations({{"b", "absent"}}), 1, {});
  EXPECT_THAT(std::string(version.status().message()), HasSubstr("absent"));
  version = graph->ExtendAtVersion(Negations({{"b", "a"}}), 1, {});
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(*version, 2);
}

// Stateful nodes stay where their state is, even if the policy would now place
// them elsewhere. Here the policy assigns groups to devices in turn, and the
// extension joins two groups into one.
TEST_F(SessionGraphTest, AnExtensionMovesNoStatefulNodes) {
  b.Const(2.0f, "second");
  const std::string v =
      op::VariableV2(b, PartialShape{}, DType::kFloat).operation().name();
  const auto device_of_v = [&](const SessionGraph& graph) {
    const auto prepared = graph.prepared();
    return prepared->AssignedDevice(prepared->Find(v));
  };
  pb::GraphDef addition = Negations({{"n", "first"}});
  auto& classes =
      *(*addition.mutable_node(0)->mutable_attr())["_class"].mutable_list();
  classes.add_s("loc:@first");
  classes.add_s("loc:@second");

  const auto graph = Create("round_robin");
  const std::string before = device_of_v(*graph);
  ASSERT_TRUE(graph->ExtendAtVersion(addition, 0, {}).ok());
  EXPECT_EQ(device_of_v(*graph), before);

  Graph whole = b.Build().value();
  ASSERT_TRUE(ExtendGraph(addition, whole).ok());
  const auto at_once =
      SessionGraph::Create(std::move(whole), infos_, Options("round_robin"));
  ASSERT_TRUE(at_once.ok()) << at_once.status();
  EXPECT_NE(device_of_v(**at_once), before);
}

TEST_F(SessionGraphTest, OfClientsAtOneVersionOneExtends) {
  const auto graph = Create();
  std::atomic<int> extended{0};
  std::atomic<int> aborted{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      const auto version = graph->ExtendAtVersion(
          Negations({{absl::StrCat("n", i), "first"}}), 0, {});
      if (version.ok()) ++extended;
      if (absl::IsAborted(version.status())) ++aborted;
      EXPECT_GE(graph->version(), 1);
      EXPECT_GE(graph->prepared()->num_nodes(), 2);
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(extended, 1);
  EXPECT_EQ(aborted, 3);
  EXPECT_EQ(graph->version(), 1);
}

}  // namespace
}  // namespace leat::session_graph_test
