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
#include "leat/partitioner/prune.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/tests/testing/graph_text.h"

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
  // A step may still be planned with the old graph, `before`. So the extension
  // must not change it.
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

TEST_F(SessionGraphTest, AnExtensionCopiesTheGraphOnlyIfSomebodyHoldsIt) {
  const auto graph = Create();
  const Graph* const first_graph = graph->prepared().get();
  ASSERT_TRUE(graph->ExtendAtVersion(Negations({{"a", "first"}}), 0, {}).ok());
  const auto held = graph->prepared();
  EXPECT_EQ(held.get(), first_graph);
  EXPECT_NE(held->Find("a"), kNoNode);
  ASSERT_TRUE(graph->ExtendAtVersion(Negations({{"b", "a"}}), 1, {}).ok());
  EXPECT_NE(graph->prepared(), held);
  EXPECT_EQ(held->Find("b"), kNoNode);
  EXPECT_TRUE(Has(*graph, "b"));
}

// A node stays on its device even if its first consumer is on another device.
// It moves only if the new nodes cannot be placed otherwise.
TEST_F(SessionGraphTest, AnExtensionMovesNodesOnlyIfItMust) {
  const auto graph = Create();
  const auto device_of = [&](const std::string& name) {
    const auto prepared = graph->prepared();
    return prepared->AssignedDevice(prepared->Find(name));
  };
  ASSERT_TRUE(
      graph->ExtendAtVersion(Negations({{"a", "first"}}, "/cpu:1"), 0, {})
          .ok());
  EXPECT_EQ(device_of("first"), infos_[0].name);
  EXPECT_EQ(device_of("a"), infos_[1].name);
  pb::GraphDef colocated = Negations({{"b", "a"}}, "/cpu:1");
  (*colocated.mutable_node(0)->mutable_attr())["_class"].mutable_list()->add_s(
      "loc:@first");
  ASSERT_TRUE(graph->ExtendAtVersion(colocated, 1, {}).ok());
  EXPECT_EQ(device_of("first"), infos_[1].name);
  EXPECT_EQ(device_of("b"), infos_[1].name);
}

// After a failure, a client sends the nodes again with its next extension.
TEST_F(SessionGraphTest, AFailedExtensionLeavesTheGraphAsItWas) {
  const auto graph = Create();
  const auto before = graph->prepared();
  const auto expect_unchanged = [&] {
    EXPECT_EQ(graph->prepared(), before);
    EXPECT_EQ(graph->version(), 0);
  };
  // This extension is refused, because the node "b" has an input that does not
  // exist.
  EXPECT_FALSE(
      graph
          ->ExtendAtVersion(Negations({{"a", "first"}, {"b", "absent"}}), 0, {})
          .ok());
  expect_unchanged();
  // This extension is refused, because the node "a" requests a device that does
  // not exist.
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

// An extension with a function has failed. A later extension may define a
// function with the same name and another body.
TEST_F(SessionGraphTest, AFailedExtensionLeavesNoFunctions) {
  const auto graph = Create();
  const auto extend = [&](const std::string& op, const std::string& device) {
    pb::GraphDef addition = ParseGraph(
        "library { function { signature { name: \"f\" input_arg { name: \"a\" "
        "type: DT_FLOAT } output_arg { name: \"r\" type: DT_FLOAT } } node_def "
        "{ name: \"n\" op: \"" +
        op + "\" input: \"a\" " + Float() +
        " } ret { key: \"r\" value: \"n:y:0\" } } }" +
        NodeText("call", "f", {"first"}));
    addition.mutable_node(0)->set_device(device);
    return graph->ExtendAtVersion(addition, 0, {}).status();
  };
  EXPECT_FALSE(extend("Neg", "/job:elsewhere").ok());
  EXPECT_TRUE(graph->prepared()->functions().empty());
  EXPECT_EQ(extend("Square", ""), absl::OkStatus());
  EXPECT_TRUE(Has(*graph, "call/n"));
  EXPECT_EQ(graph->prepared()->functions().size(), 1u);
}

// Two threads plan steps while another thread extends the graph. Every second
// extension fails. The graph is a chain of nodes, and each planning thread must
// always see the whole chain.
TEST_F(SessionGraphTest, StepsArePlannedFromOneVersionOfTheGraph) {
  constexpr int kExtensions = 200;
  const auto graph = Create();
  const int others = graph->prepared()->num_nodes();
  const auto name = [](int i) {
    return i == 0 ? std::string("first") : absl::StrCat("n", i);
  };
  std::atomic<bool> done{false};
  std::vector<std::thread> planners;
  for (int i = 0; i < 2; ++i) {
    planners.emplace_back([&] {
      int length = 0;
      while (!done) {
        const auto prepared = graph->prepared();
        EXPECT_GE(prepared->num_nodes(), others + length);  // none is lost
        length = prepared->num_nodes() - others;
        EXPECT_EQ(prepared->Find(name(length + 1)), kNoNode);
        const auto pruned = PruneToStep(*prepared, {.fetches = {name(length)}});
        ASSERT_TRUE(pruned.ok()) << pruned.status();
        EXPECT_EQ(pruned->graph.num_nodes(), length + 2);
      }
    });
  }
  for (int i = 0; i < kExtensions; ++i) {
    EXPECT_FALSE(graph
                     ->ExtendAtVersion(
                         Negations({{"bad", name(i)}}, "/job:elsewhere"), i, {})
                     .ok());
    EXPECT_TRUE(
        graph->ExtendAtVersion(Negations({{name(i + 1), name(i)}}), i, {})
            .ok());
  }
  done = true;
  for (std::thread& planner : planners) planner.join();
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
