// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/consumers.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"

namespace leat::consumers_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const OpRegistry& TestOps() {
  static const OpRegistry* const registry = [] {
    auto* ops = new OpRegistry;
    ops->Add({.name = "Pair", .outputs = {"x: float", "y: float"}});
    ops->Add(
        {.name = "Unary", .inputs = {"x: float"}, .outputs = {"y: float"}});
    ops->Add({.name = "Add",
              .inputs = {"x: float", "y: float"},
              .outputs = {"z: float"}});
    ops->Add({.name = "Merge",
              .inputs = {"x: N * float"},
              .outputs = {"y: float", "i: int32"},
              .attrs = {"N: int"}});
    ops->Add({.name = "NextIteration",
              .inputs = {"x: float"},
              .outputs = {"y: float"}});
    return ops;
  }();
  return *registry;
}

class ConsumersTest : public ::testing::Test {
 protected:
  NodeId Add(const std::string& name, const std::string& op,
             std::vector<Endpoint> inputs = {},
             std::vector<NodeId> controls = {}, AttrMap attrs = {}) {
    NodeDef def;
    def.name = name;
    def.op = TestOps().Find(op);
    def.attrs = std::move(attrs);
    const auto id = graph_.Add(std::move(def), inputs, controls);
    EXPECT_TRUE(id.ok()) << id.status();
    return id.value_or(kNoNode);
  }
  // Returns a text "node output->input" for every use of an output of the node
  // `id`.
  std::vector<std::string> UsesOf(NodeId id) {
    std::vector<std::string> uses;
    const Consumers consumers(graph_);
    for (const Use& use : consumers.Of(id)) {
      uses.push_back(absl::StrCat(graph_.node(use.node).name(), " ", use.output,
                                  "->", use.input));
    }
    return uses;
  }
  // Adds the node `source` and the loop merge -> body -> next -> merge. The
  // first value of the loop is an output of `source`. Returns the node "next".
  NodeId AddLoop(const std::string& next_op) {
    const NodeId source = Add("source", "Pair");
    const NodeId merge = Add("merge", "Merge", {{source, 0}, {source, 0}}, {},
                             {{"N", int64_t{2}}});
    const NodeId body = Add("body", "Unary", {{merge, 0}});
    const NodeId next = Add("next", next_op, {{body, 0}});
    graph_.mutable_node(merge).inputs[1] = {next, 0};
    return next;
  }

  Graph graph_{TestOps()};
};

TEST_F(ConsumersTest, ListsEveryUse) {
  const NodeId a = Add("a", "Pair");
  const NodeId b = Add("b", "Add", {{a, 1}, {a, 1}});
  const NodeId c = Add("c", "Unary", {{a, 0}}, {a, b});
  EXPECT_THAT(UsesOf(a),
              UnorderedElementsAre("b 1->0", "b 1->1", "c 0->0", "c -1->-1"));
  EXPECT_THAT(UsesOf(b), UnorderedElementsAre("c -1->-1"));
  EXPECT_THAT(UsesOf(c), IsEmpty());
}

TEST_F(ConsumersTest, ToleratesRemovedNodes) {
  const NodeId a = Add("a", "Pair");
  const NodeId b = Add("b", "Unary", {{a, 0}});
  Add("c", "Unary", {{b, 0}});
  graph_.Remove(b);
  EXPECT_THAT(UsesOf(a), IsEmpty());
  EXPECT_THAT(UsesOf(b), IsEmpty());
  EXPECT_EQ(TopologicalOrder(graph_)->size(), 2u);
}

TEST_F(ConsumersTest, AnEmptyGraphHasAnEmptyOrder) {
  EXPECT_THAT(*TopologicalOrder(graph_), IsEmpty());
  const Consumers consumers(graph_);
}

TEST_F(ConsumersTest, OrderPutsInputsAndControlsFirst) {
  const NodeId a = Add("a", "Unary", {{Add("z", "Pair"), 0}});
  const NodeId b = Add("b", "Pair");
  const NodeId c = Add("c", "Pair");
  graph_.mutable_node(a).inputs[0] = {b, 0};
  graph_.AddControl(c, b);
  EXPECT_THAT(*TopologicalOrder(graph_), ElementsAre(0, c, b, a));
}

TEST_F(ConsumersTest, OrderKeepsIdsThatAreInOrder) {
  const NodeId a = Add("a", "Pair");
  const NodeId b = Add("b", "Pair");
  const NodeId c = Add("c", "Add", {{b, 0}, {a, 0}});
  EXPECT_THAT(*TopologicalOrder(graph_), ElementsAre(a, b, c));
}

TEST_F(ConsumersTest, NamesANodeOnACycle) {
  const NodeId before = Add("before", "Pair");
  const NodeId a = Add("a", "Unary", {{before, 0}});
  const NodeId b = Add("b", "Unary", {{a, 0}});
  Add("after", "Unary", {{b, 0}});
  graph_.mutable_node(a).inputs[0] = {b, 0};
  const absl::Status status = TopologicalOrder(graph_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "the graph has a cycle through node 'a': a -> b -> a");
}

TEST_F(ConsumersTest, RefusesCyclesOfControlEdges) {
  const NodeId a = Add("a", "Pair");
  graph_.AddControl(a, a);
  EXPECT_THAT(std::string(TopologicalOrder(graph_).status().message()),
              HasSubstr("'a'"));
}

TEST_F(ConsumersTest, AllowsLoopsThatNextIterationCloses) {
  AddLoop("NextIteration");
  const auto order = TopologicalOrder(graph_);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_THAT(*order, ElementsAre(0, 1, 2, 3));
}

TEST_F(ConsumersTest, RefusesLoopsThatAnotherOpCloses) {
  AddLoop("Unary");
  EXPECT_FALSE(TopologicalOrder(graph_).ok());
}

TEST_F(ConsumersTest, RefusesControlEdgesThatCloseALoop) {
  const NodeId next = AddLoop("NextIteration");
  graph_.AddControl(next, graph_.Find("merge"));
  EXPECT_FALSE(TopologicalOrder(graph_).ok());
}

TEST_F(ConsumersTest, ReachedFromFollowsInputsAndControls) {
  const NodeId a = Add("a", "Pair");
  const NodeId b = Add("b", "Pair");
  const NodeId c = Add("c", "Unary", {{a, 0}}, {b});
  Add("d", "Unary", {{c, 0}});
  Add("e", "Pair");
  EXPECT_THAT(NeededBy(graph_, {c}),
              ElementsAre(true, true, true, false, false));
  EXPECT_THAT(NeededBy(graph_, {}),
              ElementsAre(false, false, false, false, false));
  EXPECT_THAT(NeededBy(graph_, {kNoNode, 99, b}),
              ElementsAre(false, true, false, false, false));
}

TEST_F(ConsumersTest, ReachedFromEndsOnLoops) {
  const NodeId next = AddLoop("NextIteration");
  EXPECT_THAT(NeededBy(graph_, {next}), ElementsAre(true, true, true, true));
}

// A client may send a chain as long as this one. Its nodes are in the worst
// order for a search that starts from the inputs. A recursive search would
// overflow the stack.
TEST_F(ConsumersTest, LongChainsNeedNoRecursion) {
  constexpr int kLength = 1'000'000;
  graph_.Reserve(kLength);
  const NodeId source = Add("source", "Pair");
  NodeDef def;
  def.op = TestOps().Find("Unary");
  for (int i = 1; i < kLength; ++i) {
    def.name = absl::StrCat("n", i);
    ASSERT_TRUE(graph_.Add(def, {{source, 0}}).ok());
  }
  for (NodeId id = 1; id + 1 < kLength; ++id) {
    graph_.mutable_node(id).inputs[0] = {id + 1, 0};
  }
  const auto order = TopologicalOrder(graph_);
  ASSERT_TRUE(order.ok()) << order.status();
  ASSERT_EQ(order->size(), static_cast<size_t>(kLength));
  EXPECT_EQ(order->front(), source);
  EXPECT_EQ((*order)[1], kLength - 1);
  EXPECT_EQ(order->back(), 1);
  const std::vector<bool> reached = NeededBy(graph_, {1});
  EXPECT_EQ(std::count(reached.begin(), reached.end(), true), kLength);
  EXPECT_EQ(Consumers(graph_).Of(source).size(), 1u);

  graph_.mutable_node(kLength - 1).inputs[0] = {1, 0};
  const absl::Status status = TopologicalOrder(graph_).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("'n1'"));
  EXPECT_LT(status.message().size(), 200u);
}

}  // namespace
}  // namespace leat::consumers_test
