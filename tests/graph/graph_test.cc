// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/graph.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/op_registry.h"

namespace leat::graph_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const OpRegistry& TestOps() {
  static const OpRegistry* const registry = [] {
    auto* ops = new OpRegistry;
    ops->Add(
        {.name = "Source", .outputs = {"y: T"}, .attrs = {"T: type = float"}});
    ops->Add({.name = "Ref", .outputs = {"ref: Ref(float)"}});
    ops->Add({.name = "Unary",
              .inputs = {"x: T"},
              .outputs = {"y: T"},
              .attrs = {"T: type"}});
    ops->Add({.name = "AddN",
              .inputs = {"x: N * T"},
              .outputs = {"y: T"},
              .attrs = {"N: int", "T: type"}});
    ops->Add({.name = "Assign", .inputs = {"ref: Ref(float)", "x: float"}});
    return ops;
  }();
  return *registry;
}

class GraphTest : public ::testing::Test {
 protected:
  absl::StatusOr<NodeId> Add(const std::string& name, const std::string& op,
                             AttrMap attrs = {},
                             std::vector<Endpoint> inputs = {},
                             std::vector<NodeId> controls = {}) {
    NodeDef def;
    def.name = name;
    def.op = TestOps().Find(op);
    def.attrs = std::move(attrs);
    return graph_.Add(std::move(def), inputs, controls);
  }
  std::string ErrorOf(const absl::StatusOr<NodeId>& id) {
    EXPECT_EQ(id.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(graph_.num_nodes(), graph_.num_ids());
    return std::string(id.status().message());
  }

  Graph graph_{TestOps()};
  const AttrMap float_ = {{"T", DType::kFloat}};
};

TEST_F(GraphTest, AddsNodesWithDerivedTypesAndDefaults) {
  const NodeId a = *Add("a", "Source");
  const NodeId b = *Add("b", "Unary", float_, {{a, 0}}, {a});
  EXPECT_EQ(graph_.num_nodes(), 2);
  EXPECT_EQ(graph_.Find("b"), b);
  EXPECT_EQ(graph_.Find("c"), kNoNode);
  const Node& node = graph_.node(b);
  EXPECT_EQ(node.op(), "Unary");
  EXPECT_THAT(node.inputs, ElementsAre(Endpoint{a, 0}));
  EXPECT_THAT(node.controls, ElementsAre(a));
  EXPECT_THAT(node.def->input_types, ElementsAre(DType::kFloat));
  EXPECT_EQ(graph_.node(a).output_type(0), DType::kFloat);
  EXPECT_EQ(*graph_.node(a).attrs().Get<DType>("T"), DType::kFloat);
  EXPECT_EQ(graph_.AssignedDevice(b), "");
}

TEST_F(GraphTest, RefusesNamesThatAreTakenOrMalformed) {
  ASSERT_TRUE(Add("a", "Source").ok());
  EXPECT_THAT(ErrorOf(Add("a", "Source")), HasSubstr("'a'"));
  for (const std::string name : {"", "_a", "a b", "a:0", "^a", "/a", "ä"}) {
    EXPECT_THAT(ErrorOf(Add(name, "Source")), HasSubstr("'" + name + "'"));
  }
  EXPECT_EQ(graph_.num_nodes(), 1);
}

TEST_F(GraphTest, RefusesAMissingOpAndWrongAttrs) {
  EXPECT_THAT(ErrorOf(Add("a", "Nope")), HasSubstr("no op"));
  EXPECT_THAT(ErrorOf(Add("a", "Unary")),
              HasSubstr("attr 'T' of op Unary is missing"));
  EXPECT_THAT(ErrorOf(Add("a", "Source", {{"T", int64_t{1}}})),
              HasSubstr("'a' (Source)"));
  EXPECT_THAT(ErrorOf(Add("a", "Source", {{"T", DType::kInvalid}})),
              HasSubstr("no valid type"));
}

TEST_F(GraphTest, RefusesWrongCounts) {
  const NodeId a = *Add("a", "Source");
  EXPECT_THAT(ErrorOf(Add("b", "Unary", float_)),
              HasSubstr("it has 0 inputs, but its op takes 1"));
  EXPECT_THAT(ErrorOf(Add("b", "Source", {}, {{a, 0}})),
              HasSubstr("it has 1 inputs, but its op takes 0"));
  AttrMap attrs = float_;
  attrs.Set("N", int64_t{INT64_MAX});
  EXPECT_THAT(ErrorOf(Add("b", "AddN", attrs, {{a, 0}})), HasSubstr("'b'"));
  attrs.Set("N", int64_t{-1});
  EXPECT_THAT(ErrorOf(Add("b", "AddN", attrs)), HasSubstr("'b'"));
  attrs.Set("N", int64_t{2});
  EXPECT_TRUE(Add("b", "AddN", attrs, {{a, 0}, {a, 0}}).ok());
}

TEST_F(GraphTest, RefusesInputsThatDoNotExist) {
  const NodeId a = *Add("a", "Source");
  for (const NodeId id : {NodeId{-1}, NodeId{1}, INT32_MAX, INT32_MIN}) {
    EXPECT_THAT(ErrorOf(Add("b", "Unary", float_, {{id, 0}})),
                HasSubstr("does not exist"));
    EXPECT_THAT(ErrorOf(Add("b", "Source", {}, {}, {id})),
                HasSubstr("does not exist"));
  }
  EXPECT_THAT(ErrorOf(Add("b", "Unary", float_, {{a, 1}})),
              HasSubstr("output 1 of 'a'"));
  EXPECT_FALSE(Add("b", "Unary", float_, {{a, -1}}).ok());
}

TEST_F(GraphTest, RefusesWrongTypesInTensorFlowsWords) {
  const NodeId a = *Add("a", "Source", {{"T", DType::kInt32}});
  EXPECT_EQ(ErrorOf(Add("b", "Unary", float_, {{a, 0}})),
            "Input 0 of node b was passed int32 from a:0 incompatible with "
            "expected float.");
}

TEST_F(GraphTest, ReferencesAreReadAsValuesButNotTheReverse) {
  const NodeId ref = *Add("ref", "Ref");
  const NodeId value = *Add("value", "Unary", float_, {{ref, 0}});
  EXPECT_TRUE(Add("assign", "Assign", {}, {{ref, 0}, {ref, 0}}).ok());
  EXPECT_THAT(ErrorOf(Add("b", "Assign", {}, {{value, 0}, {ref, 0}})),
              HasSubstr("expected float_ref"));
}

TEST_F(GraphTest, ControlsAreAscendingAndUnique) {
  const NodeId a = *Add("a", "Source");
  const NodeId b = *Add("b", "Source");
  const NodeId c = *Add("c", "Source");
  const NodeId d = *Add("d", "Source", {}, {}, {c, a, c});
  EXPECT_THAT(graph_.node(d).controls, ElementsAre(a, c));
  graph_.AddControl(b, d);
  graph_.AddControl(a, d);
  EXPECT_THAT(graph_.node(d).controls, ElementsAre(a, b, c));
}

TEST_F(GraphTest, RemovedNodesLeaveTheirNameAndNotTheirId) {
  const NodeId a = *Add("a", "Source");
  const NodeId b = *Add("b", "Source");
  graph_.Remove(a);
  EXPECT_FALSE(graph_.Contains(a));
  EXPECT_EQ(graph_.Find("a"), kNoNode);
  EXPECT_EQ(graph_.num_nodes(), 1);
  EXPECT_EQ(graph_.num_ids(), 2);
  EXPECT_THAT(graph_.NodeIds(), ElementsAre(b));
  EXPECT_FALSE(Add("c", "Unary", float_, {{a, 0}}).ok());
  EXPECT_EQ(*Add("a", "Source"), 2);
}

TEST_F(GraphTest, ReplaceKeepsNameAndInputs) {
  const NodeId a = *Add("a", "Source");
  const NodeId b = *Add("b", "Unary", float_, {{a, 0}});
  NodeDef def = *graph_.node(b).def;
  def.device = "/cpu:1";
  graph_.Replace(b, std::make_shared<const NodeDef>(def));
  EXPECT_EQ(graph_.node(b).def->device, "/cpu:1");
  EXPECT_THAT(graph_.node(b).inputs, ElementsAre(Endpoint{a, 0}));
  EXPECT_EQ(graph_.Find("b"), b);
}

TEST_F(GraphTest, CopiesShareDefinitionsAndAreIndependent) {
  const NodeId a = *Add("a", "Source");
  Graph copy = graph_;
  EXPECT_EQ(copy.node(a).def, graph_.node(a).def);
  copy.Remove(a);
  EXPECT_TRUE(graph_.Contains(a));
  EXPECT_EQ(graph_.Find("a"), a);
  EXPECT_EQ(copy.AddUnchecked(graph_.node(a)), 1);
  EXPECT_EQ(copy.Find("a"), 1);
}

TEST_F(GraphTest, UniqueNamesAreTheFirstNotTaken) {
  EXPECT_EQ(graph_.UniqueName("a"), "a");
  EXPECT_EQ(graph_.UniqueName("a"), "a");
  ASSERT_TRUE(Add("a", "Source").ok());
  ASSERT_TRUE(Add("a_2", "Source").ok());
  EXPECT_EQ(graph_.UniqueName("a"), "a_1");
  EXPECT_EQ(graph_.UniqueName("a"), "a_1");
  ASSERT_TRUE(Add("a_1", "Source").ok());
  EXPECT_EQ(graph_.UniqueName("a"), "a_3");
  EXPECT_EQ(graph_.UniqueName("a_1"), "a_1_1");
}

// An algorithm with quadratic time would need 5e9 look-ups.
TEST_F(GraphTest, UniqueNamesOfOnePrefixAreCheap) {
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(Add(graph_.UniqueName("n"), "Source").ok());
  }
  EXPECT_EQ(graph_.UniqueName("n"), "n_100000");
}

TEST_F(GraphTest, InternsDevices) {
  const NodeId a = *Add("a", "Source");
  const int cpu = graph_.InternDevice("/cpu:0");
  EXPECT_NE(graph_.InternDevice("/cpu:1"), cpu);
  EXPECT_EQ(graph_.InternDevice("/cpu:0"), cpu);
  EXPECT_THAT(graph_.devices(), ElementsAre("/cpu:0", "/cpu:1"));
  graph_.mutable_node(a).device = cpu;
  EXPECT_EQ(graph_.AssignedDevice(a), "/cpu:0");
}

TEST(NodeNameTest, FollowsTensorFlowsRule) {
  for (const std::string name : {"a", "A1", ".x", "9", "a/b_c-d.e\\f>g"}) {
    EXPECT_TRUE(IsValidNodeName(name)) << name;
  }
  for (const std::string name : {"", "_a", "-a", "/a", "a b", "a:1", "a\n"}) {
    EXPECT_FALSE(IsValidNodeName(name)) << name;
  }
}

TEST(TensorIdTest, ParsesAndPrints) {
  const auto parse = [](const std::string& text) {
    return *TensorId::Parse(text);
  };
  EXPECT_EQ(parse("a/b"), (TensorId{"a/b", 0}));
  EXPECT_EQ(parse("a:0"), (TensorId{"a", 0}));
  EXPECT_EQ(parse("a:12"), (TensorId{"a", 12}));
  EXPECT_EQ(parse("^a"), (TensorId{"a", TensorId::kControl}));
  EXPECT_EQ(parse("_arg_x_0_0:1"), (TensorId{"_arg_x_0_0", 1}));
  EXPECT_EQ(parse("a:0").ToString(), "a");
  EXPECT_EQ(parse("a:12").ToString(), "a:12");
  EXPECT_EQ(parse("^a").ToString(), "^a");
}

TEST(TensorIdTest, RefusesOtherTexts) {
  for (const std::string text :
       {"", "^", ":", ":0", "a:", "a:-1", "a:x", "a:1:2", "^a:0", "^^a", "a b",
        "a:99999999999", "a: 1", "a:+1"}) {
    const absl::Status status = TensorId::Parse(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("'" + text + "'"));
  }
}

}  // namespace
}  // namespace leat::graph_test
