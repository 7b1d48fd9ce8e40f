// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/io/text.h"

#include "leat/tests/graph/graph_testing.h"

namespace leat::text_test {
namespace {

using ::testing::HasSubstr;

TEST(TextTest, WritesALinePerNodeInColumns) {
  const Graph graph = Imported(
      NodeText("dense/sum", "Add", {"v", "split:1", "^x"}, Float()) +
      FloatPlaceholder("x") +
      "node { name: \"v\" op: \"Variable\" device: \"/cpu:0\" " +
      Attr("dtype", "type: DT_FLOAT") + "}\n" +
      NodeText("split", "Split", {"x"}, Float() + Attr("num_split", "i: 2")));
  EXPECT_EQ(ToText(graph),
            "v         = Variable[dtype=float]       ()               "
            "@/cpu:0\n"
            "x         = Placeholder[dtype=float]    ()\n"
            "split     = Split[T=float, num_split=2] (x)\n"
            "dense/sum = Add[T=float]                (v, split:1, ^x)\n");
}

TEST(TextTest, ShowsDefaultsAndAnnotationsOnRequest) {
  const Graph graph = Imported(
      NodeText("x", "Placeholder", {},
               Attr("dtype", "type: DT_FLOAT") + Attr("_note", "i: 3")));
  EXPECT_EQ(ToText(graph), "x = Placeholder[dtype=float] ()\n");
  EXPECT_EQ(ToText(graph, {.attrs = false}), "x = Placeholder ()\n");
  EXPECT_THAT(ToText(graph, {.default_attrs = true}), HasSubstr("shape="));
  EXPECT_THAT(ToText(graph, {.annotations = true}), HasSubstr("_note=3"));
}

TEST(TextTest, ShowsTheAssignedDeviceRatherThanTheRequestedOne) {
  Graph graph =
      Imported("node { name: \"n\" op: \"NoOp\" device: \"/cpu:0\" }");
  EXPECT_EQ(ToText(graph), "n = NoOp () @/cpu:0\n");
  graph.mutable_node(0).device = graph.InternDevice("/job:w/device:CPU:1");
  EXPECT_EQ(ToText(graph), "n = NoOp () @/job:w/device:CPU:1\n");
  EXPECT_EQ(ToText(graph, {.devices = false}), "n = NoOp ()\n");
}

TEST(TextTest, WritesFunctions) {
  const Graph graph = Imported(
      "library { function { signature { name: \"f\" "
      "input_arg { name: \"a\" type: DT_FLOAT } "
      "output_arg { name: \"r\" type: DT_FLOAT } } "
      "node_def { name: \"n\" op: \"Neg\" input: \"a\" " +
      Float() + "} ret { key: \"r\" value: \"n:y:0\" } } }");
  EXPECT_EQ(ToText(graph),
            "\nfunction f(a: float) -> (r: float)\n"
            "  n = Neg[T=float] (a)\n"
            "  return r = n:y:0\n");
}

TEST(TextTest, DoesNotPadColumnsForOneWideCell) {
  const std::string wide(100, 'w');
  const Graph graph = Imported(NodeText(wide, "NoOp") + NodeText("a", "NoOp"));
  EXPECT_EQ(ToText(graph), wide + " = NoOp ()\na = NoOp ()\n");
}

TEST(DotTest, WritesClustersEdgesAndEscapes) {
  const Graph graph =
      Imported(FloatPlaceholder("x") +
               NodeText("a/b/split", "Split", {"x"},
                        Float() + Attr("num_split", "i: 2")) +
               NodeText("a/neg", "Neg", {"a/b/split:1", "^x"}, Float()));
  EXPECT_EQ(ToDot(graph),
            "digraph G {\n"
            "  rankdir=TB; node [shape=box, fontname=\"monospace\"];\n"
            "  n0 [label=\"x\\nPlaceholder\"];\n"
            "  subgraph cluster_0 { label=\"a\";\n"
            "    n2 [label=\"neg\\nNeg\"];\n"
            "    subgraph cluster_1 { label=\"b\";\n"
            "      n1 [label=\"split\\nSplit\"];\n"
            "    }\n"
            "  }\n"
            "  n1 -> n2 [label=\"1\"];\n"
            "  n0 -> n2 [style=dashed];\n"
            "  n0 -> n1;\n"
            "}\n");
  EXPECT_THAT(ToDot(graph, {.control_edges = false}),
              ::testing::Not(HasSubstr("dashed")));
  EXPECT_THAT(ToDot(graph, {.scopes = false}),
              ::testing::Not(HasSubstr("subgraph")));
}

TEST(DotTest, SurvivesScopesNestedDeeply) {
  std::string name;
  for (int i = 0; i < 20'000; ++i) name += "s/";
  const Graph graph = Imported(NodeText(name + "leaf", "NoOp"));
  const std::string dot = ToDot(graph);
  EXPECT_THAT(dot, HasSubstr("cluster_19999"));
  EXPECT_LT(dot.size(), 3'000'000u);
}

}  // namespace
}  // namespace leat::text_test
