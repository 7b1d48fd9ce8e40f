// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/io/graph_def.h"

#include <cmath>
#include <limits>

#include "leat/graph/analysis/equal.h"
#include "leat/graph/codec/attr_codec.h"
#include "leat/tests/graph/graph_testing.h"

namespace leat::graph_def_test {
namespace {

using ::testing::HasSubstr;

void ExpectRoundTrip(const Graph& graph) {
  pb::GraphDef exported;
  ASSERT_TRUE(ExportGraphDef(graph, exported).ok());
  const absl::StatusOr<Graph> again = ImportGraphDef(exported, graph.ops());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Difference(graph, *again), "");
}

// Returns the loop "i = x; while (pred) i = -i;" and a node that negates the
// result of the loop.
std::string LoopText() {
  return FloatPlaceholder("x") +
         NodeText("pred", "Placeholder", {}, Attr("dtype", "type: DT_BOOL")) +
         NodeText("enter", "Enter", {"x"},
                  Float() + Attr("frame_name", "s: \"loop\"")) +
         NodeText("enter_pred", "Enter", {"pred"},
                  Attr("T", "type: DT_BOOL") +
                      Attr("frame_name", "s: \"loop\"") +
                      Attr("is_constant", "b: true")) +
         NodeText("merge", "Merge", {"enter", "next"},
                  Float() + Attr("N", "i: 2")) +
         NodeText("cond", "LoopCond", {"enter_pred"}) +
         NodeText("switch", "Switch", {"merge", "cond"}, Float()) +
         NodeText("body", "Neg", {"switch:1"}, Float()) +
         NodeText("next", "NextIteration", {"body"}, Float()) +
         NodeText("exit", "Exit", {"switch"}, Float()) +
         NodeText("after", "Neg", {"exit"}, Float());
}

std::string FunctionText(const std::string& name, const std::string& body) {
  return "library { function { signature { name: \"" + name +
         "\" input_arg { name: \"a\" type: DT_FLOAT }"
         " output_arg { name: \"r\" type: DT_FLOAT } } " +
         body + " } }\n";
}

// Returns the attrs of a constant of 100 bytes.
std::string Constant() {
  return Attr("dtype", "type: DT_FLOAT") +
         Attr("value",
              "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 25 } } "
              "float_val: 1 }");
}

std::string FunctionOf(const std::string& name, const std::string& node) {
  return FunctionText(
      name, "node_def { " + node + " } ret { key: \"r\" value: \"a\" }");
}

TEST(GraphDefTest, ImportsNodesInAnyOrder) {
  const Graph graph = Imported(
      NodeText("sum", "Add", {"x", "y", "^z", "^z"}, Float()) +
      FloatPlaceholder("y") + FloatPlaceholder("x") + NodeText("z", "NoOp"));
  const Node& sum = graph.node(graph.Find("sum"));
  ASSERT_EQ(sum.num_inputs(), 2);
  EXPECT_EQ(graph.node(sum.inputs[0].node).name(), "x");
  EXPECT_EQ(graph.node(sum.inputs[1].node).name(), "y");
  ASSERT_EQ(sum.controls.size(), 1u);
  EXPECT_EQ(graph.node(sum.controls[0]).name(), "z");
  ExpectRoundTrip(graph);
}

TEST(GraphDefTest, ImportsLoops) {
  const Graph graph = Imported(LoopText());
  EXPECT_EQ(graph.num_nodes(), 11);
  ExpectRoundTrip(graph);
}

TEST(GraphDefTest, AGraphExportsItself) {
  const Graph graph = Imported(LoopText());
  const absl::StatusOr<pb::GraphDef> exported = graph.ToGraphDef();
  ASSERT_TRUE(exported.ok()) << exported.status();
  const absl::StatusOr<Graph> again = ImportGraphDef(*exported, graph.ops());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Difference(graph, *again), "");
}

TEST(GraphDefTest, FillsDefaultsAndKeepsUnknownAttrs) {
  const Graph graph = Imported(
      NodeText("x", "Placeholder", {},
               Attr("dtype", "type: DT_FLOAT") + Attr("_class", "list { }") +
                   Attr("debug_name", "s: \"later\"") + Attr("_none", "")));
  const AttrMap& attrs = graph.node(0).attrs();
  EXPECT_FALSE(attrs.Get<PartialShape>("shape")->rank_known());
  EXPECT_EQ(*attrs.Get<std::string>("debug_name"), "later");
  EXPECT_TRUE(attrs.Has("_class"));
  EXPECT_TRUE(attrs.Has("_none"));
  ExpectRoundTrip(graph);
}

TEST(GraphDefTest, StripsDefaultsOnRequest) {
  const Graph graph = Imported(FloatPlaceholder("x"));
  pb::GraphDef exported;
  ASSERT_TRUE(
      ExportGraphDef(graph, exported, {.strip_default_attrs = true}).ok());
  EXPECT_EQ(exported.node(0).attr().count("shape"), 0u);
  EXPECT_EQ(exported.node(0).attr().count("dtype"), 1u);
}

TEST(GraphDefTest, ReadsReferencesAsValuesButNotTheReverse) {
  const std::string variable =
      NodeText("v", "Variable", {}, Attr("dtype", "type: DT_FLOAT"));
  const Graph graph =
      Imported(variable + NodeText("neg", "Neg", {"v"}, Float()) +
               NodeText("set", "Assign", {"v", "v"}, Float()));
  EXPECT_EQ(graph.num_nodes(), 3);
  EXPECT_THAT(ImportError(FloatPlaceholder("x") +
                          NodeText("set", "Assign", {"x", "x"}, Float())),
              HasSubstr("node 'set': input 0 'x': expected float_ref, but node "
                        "'x' (op Placeholder) gives float"));
}

TEST(GraphDefTest, KeepsVersionsAndDevices) {
  const Graph graph = Imported(
      "versions { producer: 1395 min_consumer: 12 } node { name: \"a\" op: "
      "\"NoOp\" device: \"/job:ps/task:0\" }");
  EXPECT_EQ(graph.producer, 1395);
  EXPECT_EQ(graph.min_consumer, 12);
  EXPECT_EQ(graph.node(0).def->device, "/job:ps/task:0");
  ExpectRoundTrip(graph);
}

TEST(GraphDefTest, ExportsAssignedDevicesOnRequest) {
  Graph graph =
      Imported("node { name: \"a\" op: \"NoOp\" device: \"/cpu:0\" }");
  const std::string device = "/job:w/replica:0/task:0/device:CPU:0";
  graph.mutable_node(0).device = graph.InternDevice(device);
  pb::GraphDef exported;
  ASSERT_TRUE(ExportGraphDef(graph, exported).ok());
  EXPECT_EQ(exported.node(0).device(), "/cpu:0");
  ASSERT_TRUE(ExportGraphDef(graph, exported, {.assigned_devices = true}).ok());
  EXPECT_EQ(exported.node(0).device(), device);
}

TEST(GraphDefTest, ImportsFunctionsAndBothKindsOfCall) {
  const Graph graph = Imported(
      FunctionText("f", "node_def { name: \"n\" op: \"Neg\" input: \"a\" " +
                            Float() + "} ret { key: \"r\" value: \"n:y:0\" }") +
      FloatPlaceholder("x") + NodeText("direct", "f", {"x"}) +
      NodeText("by_attr", "PartitionedCall", {"direct"},
               Attr("Tin", "list { type: DT_FLOAT }") +
                   Attr("Tout", "list { type: DT_FLOAT }") +
                   Attr("f", "func { name: \"f\" }")));
  const Node& direct = graph.node(graph.Find("direct"));
  EXPECT_EQ(direct.def->op, &graph.functions().Find("f")->signature);
  EXPECT_EQ(direct.output_type(0), DType::kFloat);
  ExpectRoundTrip(graph);
  const Graph copy = graph;
  EXPECT_EQ(copy.node(copy.Find("direct")).op(), "f");
}

TEST(GraphDefTest, KeepsAllOfAFunction) {
  const std::string text = R"(library { function {
    signature {
      name: "g" is_stateful: true control_output: "done"
      input_arg { name: "a" type_attr: "T" }
      input_arg { name: "b" type_attr: "T" number_attr: "N" }
      output_arg { name: "r" type_attr: "T" }
      attr { name: "T" type: "type"
             allowed_values { list { type: DT_FLOAT type: DT_INT32 } } }
      attr { name: "N" type: "int" has_minimum: true minimum: 1
             default_value { i: 2 } }
    }
    node_def { name: "n" op: "Neg" input: "a" input: "^m" device: "/cpu:0"
               attr { key: "T" value { placeholder: "T" } } }
    node_def { name: "m" op: "NoOp" }
    ret { key: "r" value: "n:y:0" }
    control_ret { key: "done" value: "m" }
    attr { key: "_noinline" value { b: true } }
    arg_attr { key: 1 value { attr { key: "_shape" value { i: 3 } } } }
  } })";
  const Graph graph = Imported(text);
  const Function& g = *graph.functions().Find("g");
  EXPECT_TRUE(g.signature.is_stateful);
  EXPECT_EQ(g.control_outputs, std::vector<std::string>{"done"});
  EXPECT_EQ(g.arg_attrs.count(1), 1u);
  EXPECT_EQ(g.nodes[0].device, "/cpu:0");
  EXPECT_EQ(g.signature.attrs[1].minimum, 1);
  EXPECT_EQ(g.signature.attrs[0].allowed_types.size(), 2u);
  ExpectRoundTrip(graph);
}

TEST(GraphDefTest, ExtendsAGraphWithNodesThatUseIt) {
  Graph graph = Imported(FloatPlaceholder("x"));
  ASSERT_TRUE(
      ExtendGraph(ParseGraph(NodeText("neg", "Neg", {"x"}, Float())), graph)
          .ok());
  EXPECT_EQ(graph.num_nodes(), 2);
  EXPECT_EQ(graph.node(1).inputs[0].node, graph.Find("x"));
}

TEST(GraphDefTest, LeavesTheGraphAsItWasWhenAnExtensionFails) {
  Graph graph = Imported("versions { producer: 7 }" + LoopText());
  const Graph before = graph;
  const std::string function =
      FunctionText("f", "ret { key: \"r\" value: \"a\" }");
  const std::vector<std::string> bad = {
      NodeText("a", "NoOp") + NodeText("b", "Nope"),
      NodeText("a", "NoOp") + NodeText("x", "NoOp"),
      NodeText("a", "NoOp") + NodeText("b", "Neg", {"none"}, Float()),
      NodeText("a", "Neg", {"b"}, Float()) +
          NodeText("b", "Neg", {"a"}, Float()),
      function + NodeText("b", "f", {}),
      NodeText("c", "Const", {}, Constant()) + NodeText("b", "NoOp", {"^d"}),
      // The node of this extension has two inputs in the old graph: one inside
      // of the loop and one outside.
      NodeText("b", "Add", {"body", "x"}, Float()),
      "versions { min_consumer: 999999 }"};
  for (const std::string& text : bad) {
    EXPECT_FALSE(ExtendGraph(ParseGraph(text), graph).ok()) << text;
    EXPECT_EQ(Difference(before, graph), "") << text;
    EXPECT_EQ(graph.num_ids(), before.num_ids());
    EXPECT_EQ(graph.tensor_bytes, before.tensor_bytes);
    EXPECT_EQ(graph.Find("a"), kNoNode);
  }
  EXPECT_TRUE(
      ExtendGraph(ParseGraph(function + NodeText("a", "f", {"x"})), graph)
          .ok());
}

// In each case, every extension adds one of what the limit counts: a node, an
// edge, an output, a function, or an attr with a tensor of 100 bytes.
TEST(GraphDefTest, TheLimitsAreThoseOfAllExtensionsTogether) {
  using Step = std::string (*)(const std::string& name);
  struct Case {
    ImportLimits limits;  // five extensions do not exceed them
    std::string refusal;
    Step step;
  };
  const Case cases[] = {
      {{.max_nodes = 6},
       "the graph has 7 nodes; the limit is 6 (max_graph_nodes)",
       [](const std::string& name) { return NodeText(name, "NoOp"); }},
      {{.max_nodes = 6},
       "7 nodes; the limit is 6 (max_graph_nodes)",
       [](const std::string& name) {
         return FunctionOf(name, "name: \"n\" op: \"NoOp\"");
       }},
      {{.max_edges = 5},
       "6 edges; the limit is 5 (max_graph_edges)",
       [](const std::string& name) { return NodeText(name, "NoOp", {"^x"}); }},
      {{.max_edges = 5},
       "6 edges; the limit is 5 (max_graph_edges)",
       [](const std::string& name) {
         return FunctionOf(name,
                           "name: \"n\" op: \"Neg\" input: \"a\" " + Float());
       }},
      {{.max_outputs = 6},
       "7 outputs; the limit is 6 (max_graph_outputs)",
       [](const std::string& name) { return FloatPlaceholder(name); }},
      {{.max_functions = 5},
       "6 functions; the limit is 5 (max_graph_functions)",
       [](const std::string& name) {
         return FunctionText(name, "ret { key: \"r\" value: \"a\" }");
       }},
      {{.max_total_attr_bytes = 550},
       "above the limit of 50 (what is left of max_total_attr_bytes)",
       [](const std::string& name) {
         return NodeText(name, "Const", {}, Constant());
       }},
      {{.max_total_attr_bytes = 550},
       "above the limit of 50 (what is left of max_total_attr_bytes)",
       [](const std::string& name) {
         return FunctionOf(name, "name: \"c\" op: \"Const\" " + Constant());
       }}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.refusal);
    Graph graph = Imported(FloatPlaceholder("x"));
    for (int i = 0; i < 5; ++i) {
      const pb::GraphDef step = ParseGraph(c.step("n" + std::to_string(i)));
      EXPECT_EQ(ExtendGraph(step, graph, c.limits), absl::OkStatus());
    }
    const Graph before = graph;
    const pb::GraphDef step = ParseGraph(c.step("n5"));
    // The second attempt has the same error, because a refused extension does
    // not count.
    for (int i = 0; i < 2; ++i) {
      const absl::Status refused = ExtendGraph(step, graph, c.limits);
      EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
      EXPECT_THAT(std::string(refused.message()), HasSubstr(c.refusal));
      EXPECT_EQ(Difference(before, graph), "");
    }
    EXPECT_EQ(ExtendGraph(pb::GraphDef(), graph, c.limits), absl::OkStatus());
  }
}

// TensorFlow's client and ours send all functions again with every extension.
TEST(GraphDefTest, FunctionsThatComeAgainCountOnce) {
  const std::string function =
      FunctionOf("f", "name: \"c\" op: \"Const\" input: \"^a\" " + Constant());
  const ImportLimits limits = {.max_nodes = 4,
                               .max_edges = 1,
                               .max_functions = 1,
                               .max_total_attr_bytes = 100};
  Graph graph = Imported("");
  for (const char* name : {"n0", "n1", "n2"}) {
    EXPECT_EQ(ExtendGraph(ParseGraph(function + NodeText(name, "NoOp")), graph,
                          limits),
              absl::OkStatus());
  }
  EXPECT_EQ(graph.num_nodes(), 3);
}

TEST(GraphDefTest, RefusesAReaderTooOldForTheGraph) {
  EXPECT_THAT(ImportError("versions { min_consumer: 999999 }"),
              HasSubstr("999999"));
  EXPECT_THAT(ImportError("versions { bad_consumers: 1645 }"),
              HasSubstr("1645"));
  EXPECT_EQ(ImportError("versions { producer: 999999 }"), "OK");
}

TEST(GraphDefTest, AcceptsInternalNamesOnlyOnRequest) {
  const std::string text = NodeText("_cloop_0", "NoOp");
  EXPECT_THAT(ImportError(text),
              HasSubstr("node '_cloop_0': its name is not valid"));
  EXPECT_EQ(ImportError(text, {.allow_internal_names = true}), "OK");
  EXPECT_THAT(
      ImportError(NodeText("_a b", "NoOp"), {.allow_internal_names = true}),
      HasSubstr("its name is not valid"));
}

// Converts each kind of attr value to a message and back.
TEST(AttrCodecTest, RoundTripsEveryKindOfValue) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const FunctionRef function = {
      "f", std::make_shared<const AttrMap>(AttrMap{{"k", AttrValue(true)}})};
  const std::vector<AttrValue> values = {
      AttrValue(),
      std::string("\0\xff", 2),
      std::numeric_limits<int64_t>::min(),
      nan,
      -0.0f,
      true,
      DType::kBfloat16,
      PartialShape(),
      PartialShape({-1, 3}),
      PartialShape(Shape{}),
      Tensor::Vector<int64_t>({1, 2, 3}),
      Tensor::Vector<std::string>({"a", ""}),
      Tensor::Of<float>({0, 3}, {}),
      function,
      AttrPlaceholder{"T"},
      EmptyList(),
      std::vector<std::string>{"a", "b"},
      std::vector<int64_t>{1, -1},
      std::vector<float>{nan, 1.5f},
      std::vector<bool>{true, false},
      std::vector<DType>{DType::kFloat, DType::kResource},
      std::vector<PartialShape>{PartialShape(), PartialShape({2})},
      std::vector<Tensor>{Tensor::Scalar<int32_t>(4)},
      std::vector<FunctionRef>{function, FunctionRef{"g"}},
      std::vector<int64_t>{}};
  for (const AttrValue& value : values) {
    pb::AttrValue proto;
    ASSERT_TRUE(AttrValueToProto(value, proto).ok());
    AttrBudget budget;
    const absl::StatusOr<AttrValue> again = AttrValueFromProto(proto, budget);
    ASSERT_TRUE(again.ok()) << DebugString(value) << again.status();
    EXPECT_TRUE(EqualAttrValues(value, *again))
        << DebugString(value) << " became " << DebugString(*again);
  }
}

// A master of TensorFlow 2.15.1 registered a _FusedConv2D with this value of
// the attr "_input_shapes".
TEST(AttrCodecTest, ReadsSymbolsInTheShapesOfAnnotationsAsUnknown) {
  pb::AttrValue list, shape;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "list { shape { dim { size: -2 } dim { size: -3 } dim { size: 8 } } "
      "shape { unknown_rank: true } }",
      &list));
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "shape { dim { size: -5 } dim { size: -1 } }", &shape));
  AttrProtoMap protos;
  protos["_input_shapes"] = list;
  protos["_shape"] = shape;
  AttrBudget budget;
  const absl::StatusOr<AttrMap> attrs = AttrMapFromProto(protos, budget);
  ASSERT_TRUE(attrs.ok()) << attrs.status();
  EXPECT_EQ(*attrs->Find("_input_shapes"),
            AttrValue(std::vector<PartialShape>{{-1, -1, 8}, {}}));
  EXPECT_EQ(*attrs->Find("_shape"), AttrValue(PartialShape{-1, -1}));
  for (const pb::AttrValue& value : {list, shape}) {
    protos["shapes"] = value;
    const absl::Status status = AttrMapFromProto(protos, budget).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("attr 'shapes'"));
  }
}

TEST(AttrCodecTest, CountsDecodedTensorsAgainstTheBudget) {
  pb::AttrValue proto;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1000 } } "
      "float_val: 1 }",
      &proto));
  AttrBudget budget;
  budget.remaining = 9000;
  EXPECT_TRUE(AttrValueFromProto(proto, budget).ok());
  EXPECT_EQ(budget.remaining, 5000);
  EXPECT_TRUE(AttrValueFromProto(proto, budget).ok());
  const auto third = AttrValueFromProto(proto, budget);
  EXPECT_EQ(third.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace leat::graph_def_test
