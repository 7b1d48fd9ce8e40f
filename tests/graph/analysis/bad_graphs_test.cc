// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the import of malicious graphs. The import must refuse each graph with
// an error that says what is wrong and where, and the process must survive.
#include "absl/strings/str_cat.h"
#include "leat/tests/graph/graph_testing.h"

namespace leat::bad_graphs_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Enter(const std::string& name, const std::string& input,
                  const std::string& frame) {
  return NodeText(name, "Enter", {input},
                  Float() + Attr("frame_name", "s: \"" + frame + "\""));
}

std::string Const(const std::string& dtype, const std::string& tensor) {
  return NodeText("c", "Const", {},
                  Attr("dtype", "type: " + dtype) +
                      Attr("value", "tensor { " + tensor + " }"));
}

// Does the same as ImportError, but the graph may use all ops of TensorFlow.
std::string ImportErrorOfAllOps(const std::string& text) {
  const absl::StatusOr<Graph> graph = ImportGraphDef(ParseGraph(text));
  return graph.ok() ? "OK" : graph.status().ToString();
}

TEST(BadGraphsTest, RefusesMalformedNames) {
  for (const char* name : {"", "_x", "a b", "-x", "x:0", "^x", "a\\n"}) {
    EXPECT_THAT(ImportError(NodeText(name, "NoOp")),
                HasSubstr("its name is not valid"))
        << name;
  }
}

TEST(BadGraphsTest, RefusesDuplicateNames) {
  EXPECT_THAT(ImportError(NodeText("a", "NoOp") + NodeText("a", "NoOp")),
              HasSubstr("node 'a': a node of this name exists"));
}

TEST(BadGraphsTest, RefusesUnknownOps) {
  EXPECT_THAT(ImportError(NodeText("a", "Nope")),
              HasSubstr("NOT_FOUND: node 'a': Op type not registered 'Nope'"));
}

TEST(BadGraphsTest, AcceptsOtherOpsThatBeginWithAnUnderscore) {
  EXPECT_EQ(ImportErrorOfAllOps(NodeText(
                "a", "_ParallelConcatStart", {},
                Attr("shape", "shape { }") + Attr("dtype", "type: DT_FLOAT"))),
            "OK");
}

// An op without a kernel never runs, so its functions are never called and may
// be missing.
TEST(BadGraphsTest, AcceptsMissingFunctionsOfOpsWithoutKernel) {
  EXPECT_EQ(ImportErrorOfAllOps(
                FloatPlaceholder("x") +
                NodeText("a", "MapDefun", {"x"},
                         Attr("Targuments", "list { type: DT_FLOAT }") +
                             Attr("output_types", "list { type: DT_FLOAT }") +
                             Attr("output_shapes", "list { shape {} }") +
                             Attr("f", "func { name: \"Neg\" }"))),
            "OK");
}

TEST(BadGraphsTest, RefusesInputsThatDoNotExist) {
  const std::string x = FloatPlaceholder("x");
  const auto neg = [&](const std::string& input) {
    return ImportError(x + NodeText("a/b", "Neg", {input}, Float()));
  };
  EXPECT_THAT(neg("y"),
              HasSubstr("node 'a/b': input 0 'y': there is no node 'y'"));
  EXPECT_THAT(neg("x:3"), HasSubstr("node 'a/b': input 0 'x:3': node 'x' (op "
                                    "Placeholder) has 1 output"));
  for (const char* input : {"x:-1", "x:99999999999999999999", "x:", "x:a",
                            "x: 0", "", ":0", "x:0:0", "^", "^x:0", "^y"}) {
    EXPECT_THAT(neg(input), HasSubstr("INVALID_ARGUMENT: node 'a/b'")) << input;
  }
  EXPECT_THAT(
      ImportError(NodeText("n", "NoOp") + NodeText("a", "Neg", {"n"}, Float())),
      HasSubstr("node 'n' (op NoOp) has 0 outputs"));
}

TEST(BadGraphsTest, RefusesWrongNumbersOfInputs) {
  const std::string x = FloatPlaceholder("x");
  EXPECT_THAT(ImportError(x + NodeText("a", "Add", {"x"}, Float())),
              HasSubstr("node 'a': has 1 input, but op Add takes 2"));
  EXPECT_THAT(ImportError(x + NodeText("a", "Neg", {"x", "x", "x"}, Float())),
              HasSubstr("node 'a': has 3 inputs, but op Neg takes 1"));
  EXPECT_THAT(ImportError(x + NodeText("a", "Neg", {"^x", "x"}, Float())),
              HasSubstr("must come before the control inputs"));
}

TEST(BadGraphsTest, RefusesTypeMismatches) {
  EXPECT_THAT(
      ImportError(
          NodeText("i", "Placeholder", {}, Attr("dtype", "type: DT_INT32")) +
          NodeText("a", "Neg", {"i"}, Float())),
      HasSubstr("node 'a': input 0 'i': expected float, but node 'i' (op "
                "Placeholder) gives int32"));
}

TEST(BadGraphsTest, RefusesWrongAttrs) {
  const auto add_n = [](const std::string& attrs) {
    return ImportError(NodeText("a", "AddN", {}, attrs));
  };
  EXPECT_THAT(add_n(Float()), AllOf(HasSubstr("node 'a'"), HasSubstr("'N'")));
  EXPECT_THAT(add_n(Float() + Attr("N", "s: \"2\"")), HasSubstr("'N'"));
  EXPECT_THAT(add_n(Float() + Attr("N", "i: 0")), HasSubstr("'N'"));
  EXPECT_THAT(add_n(Float() + Attr("N", "i: -9223372036854775808")),
              HasSubstr("'N'"));
  EXPECT_THAT(add_n(Float() + Attr("N", "i: 9223372036854775807")),
              HasSubstr("INVALID_ARGUMENT: node 'a'"));
  EXPECT_THAT(add_n(Float() + Attr("N", "")), HasSubstr("'N'"));
  EXPECT_THAT(add_n(Float() + Attr("N", "placeholder: \"N\"")),
              HasSubstr("'N'"));
  EXPECT_THAT(add_n(Attr("T", "type: DT_INVALID") + Attr("N", "i: 1")),
              HasSubstr("'T'"));
  EXPECT_THAT(add_n(Attr("T", "type: DT_FLOAT_REF") + Attr("N", "i: 1")),
              HasSubstr("'T'"));
  EXPECT_THAT(ImportError(NodeText("a", "NoOp", {},
                                   Attr("_x", "list { i: 1 s: \"a\" }"))),
              HasSubstr("node 'a': attr '_x'"));
}

TEST(BadGraphsTest, RefusesBadDevices) {
  EXPECT_THAT(
      ImportError("node { name: \"a\" op: \"NoOp\" device: \"/job:/x\" }"),
      AllOf(HasSubstr("node 'a'"), HasSubstr("/job:/x")));
}

// In CVE-2022-23583, the consumers of a constant rely on its attr 'dtype', but
// the constant's kernel relies on the dtype of the tensor in the attr 'value'.
TEST(BadGraphsTest, RefusesConstantsOfAnotherType) {
  EXPECT_THAT(
      ImportError(Const("DT_FLOAT", "dtype: DT_INT64 tensor_shape { }")),
      HasSubstr("node 'c': attr 'value' is a tensor of type int64, but attr "
                "'dtype' is float"));
}

// These are the constants of CVE-2022-23588 and CVE-2022-23571.
TEST(BadGraphsTest, RefusesConstantsThatNoTensorCanBe) {
  const std::vector<std::string> tensors = {
      "dtype: DT_FLOAT_REF tensor_shape { }",
      "dtype: DT_INVALID tensor_shape { dim { size: 0 } }",
      "dtype: 77 tensor_shape { }",
      "dtype: DT_FLOAT tensor_shape { unknown_rank: true }",
      "dtype: DT_FLOAT tensor_shape { dim { size: -1 } }",
      "dtype: DT_FLOAT tensor_shape { dim { size: -5 } }",
      "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "
      "\"abc\"",
      "dtype: DT_VARIANT tensor_shape { } variant_val { type_name: \"x\" }"};
  for (const std::string& tensor : tensors) {
    EXPECT_THAT(ImportError(Const("DT_FLOAT", tensor)),
                HasSubstr("INVALID_ARGUMENT: node 'c': attr 'value'"))
        << tensor;
  }
  EXPECT_THAT(ImportError(Const("DT_FLOAT_REF", "dtype: DT_FLOAT_REF")),
              HasSubstr("node 'c'"));
}

TEST(BadGraphsTest, RefusesHugeShapesBeforeAllocating) {
  const std::string dim = "dim { size: 1152921504606846976 } ";  // 2^60
  EXPECT_THAT(ImportError(Const("DT_FLOAT", "dtype: DT_FLOAT tensor_shape { " +
                                                dim + "} float_val: 1")),
              HasSubstr("node 'c': attr 'value'"));
  EXPECT_THAT(ImportError(Const("DT_FLOAT", "dtype: DT_FLOAT tensor_shape { " +
                                                dim + dim + "}")),
              HasSubstr("node 'c': attr 'value'"));
  EXPECT_THAT(
      ImportError(Const("DT_STRING", "dtype: DT_STRING tensor_shape { " + dim +
                                         "} string_val: \"x\"")),
      HasSubstr("node 'c': attr 'value'"));
  EXPECT_THAT(
      ImportError(NodeText("p", "Placeholder", {},
                           Attr("dtype", "type: DT_FLOAT") +
                               Attr("shape", "shape { " + dim + dim + "}"))),
      HasSubstr("node 'p': attr 'shape'"));
  // The message holds one value, which stands for all 2^30 elements. The tensor
  // would take 4 GiB.
  EXPECT_THAT(ImportError(Const("DT_FLOAT",
                                "dtype: DT_FLOAT tensor_shape { dim { "
                                "size: 1073741824 } } float_val: 1")),
              HasSubstr("RESOURCE_EXHAUSTED: node 'c': attr 'value'"));
}

TEST(BadGraphsTest, RefusesManyTensorsThatAreEachWithinTheLimit) {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += NodeText(absl::StrCat("c", i), "Const", {},
                     Attr("dtype", "type: DT_FLOAT") +
                         Attr("value",
                              "tensor { dtype: DT_FLOAT tensor_shape { dim { "
                              "size: 250 } } float_val: 1 }"));
  }
  EXPECT_EQ(ImportError(text, {.max_total_attr_bytes = 10'000}), "OK");
  EXPECT_THAT(ImportError(text, {.max_total_attr_bytes = 9'999}),
              HasSubstr("RESOURCE_EXHAUSTED: node 'c9'"));
}

TEST(BadGraphsTest, RefusesCycles) {
  EXPECT_THAT(ImportError(NodeText("a", "Neg", {"a"}, Float())),
              HasSubstr("cycle through node 'a'"));
  EXPECT_THAT(ImportError(NodeText("a", "NoOp", {"^a"})),
              HasSubstr("cycle through node 'a'"));
  EXPECT_THAT(ImportError(NodeText("a", "Neg", {"b"}, Float()) +
                          NodeText("b", "Neg", {"a"}, Float())),
              HasSubstr("cycle through node"));
  EXPECT_THAT(
      ImportError(NodeText("m", "Merge", {"m"}, Float() + Attr("N", "i: 1"))),
      HasSubstr("cycle through node 'm'"));
}

TEST(BadGraphsTest, SurvivesAChainOf100000NodesInReverseOrder) {
  pb::GraphDef graph;
  const int size = 100'000;
  for (int i = 0; i < size; ++i) {
    pb::NodeDef& node = *graph.add_node();
    node.set_name(absl::StrCat("n", i));
    node.set_op("NoOp");
    if (i + 1 < size) node.add_input(absl::StrCat("^n", i + 1));
  }
  EXPECT_TRUE(ImportGraphDef(graph, FewOps()).ok());
  graph.mutable_node(size - 1)->add_input("^n0");
  EXPECT_THAT(ImportGraphDef(graph, FewOps()).status().ToString(),
              HasSubstr("cycle"));
}

// This is the graph of CVE-2021-41217.
TEST(BadGraphsTest, RefusesExitsAndNextIterationsOutsideOfFrames) {
  const std::string x = FloatPlaceholder("x");
  EXPECT_THAT(ImportError(x + NodeText("e", "Exit", {"x"}, Float())),
              HasSubstr("node 'e' (op Exit) leaves a frame that no Enter "
                        "opens"));
  EXPECT_THAT(ImportError(x + NodeText("n", "NextIteration", {"x"}, Float())),
              HasSubstr("node 'n' (op NextIteration) is in no frame"));
  // One Enter is followed by two Exits in a row.
  EXPECT_THAT(ImportError(x + Enter("in", "x", "f") +
                          NodeText("out", "Exit", {"in"}, Float()) +
                          NodeText("again", "Exit", {"out"}, Float())),
              HasSubstr("node 'again' (op Exit)"));
}

TEST(BadGraphsTest, RefusesNodesInTwoFrames) {
  const std::string x = FloatPlaceholder("x");
  EXPECT_THAT(
      ImportError(x + Enter("f", "x", "F") + Enter("g", "x", "G") +
                  NodeText("sum", "Add", {"f", "g"}, Float())),
      AllOf(HasSubstr("node 'sum' (op Add) has inputs from different frames"),
            HasSubstr("frame 'F'"), HasSubstr("frame 'G'")));
  EXPECT_THAT(ImportError(x + Enter("f", "x", "F") +
                          NodeText("sum", "Add", {"f", "x"}, Float())),
              HasSubstr("'x' is in no frame"));
  EXPECT_THAT(ImportError(x + Enter("f", "x", "F") +
                          NodeText("n", "NoOp", {"^f", "^x"})),
              HasSubstr("node 'n' (op NoOp) has inputs from different frames"));
  // The two frames have the same name, but one is inside the other.
  EXPECT_THAT(ImportError(x + Enter("f", "x", "F") + Enter("g", "f", "F") +
                          NodeText("sum", "Add", {"f", "g"}, Float())),
              HasSubstr("different frames"));
  EXPECT_THAT(ImportError(x + Enter("f", "x", "")),
              HasSubstr("node 'f' (op Enter) has an empty frame_name"));
}

TEST(BadGraphsTest, RefusesBrokenLoops) {
  const std::string x = FloatPlaceholder("x");
  const std::string n2 = Float() + Attr("N", "i: 2");
  // No Enter leads into this loop.
  EXPECT_THAT(
      ImportError(NodeText("m", "Merge", {"n"}, Float() + Attr("N", "i: 1")) +
                  NodeText("n", "NextIteration", {"m"}, Float())),
      HasSubstr("node 'm' (op Merge) closes a loop that nothing "
                "enters"));
  // The NextIteration leads to the Merge of another frame.
  EXPECT_THAT(
      ImportError(x + Enter("f", "x", "F") + Enter("g", "x", "G") +
                  NodeText("m", "Merge", {"f", "n"}, n2) +
                  NodeText("n", "NextIteration", {"g"}, Float())),
      HasSubstr("node 'm' (op Merge) has inputs from different frames"));
  EXPECT_THAT(ImportError(x + Enter("f", "x", "F") +
                          NodeText("n", "NextIteration", {"f"}, Float()) +
                          NodeText("a", "Neg", {"n"}, Float())),
              HasSubstr("only a Merge"));
}

TEST(BadGraphsTest, SurvivesFrames10000Deep) {
  std::string text = FloatPlaceholder("x");
  std::string last = "x";
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = absl::StrCat("e", i);
    text += Enter(name, last, absl::StrCat("f", i % 7));
    last = name;
  }
  EXPECT_EQ(ImportError(text), "OK");
  EXPECT_THAT(
      ImportError(text + NodeText("sum", "Add", {"x", last}, Float())),
      HasSubstr("node 'sum' (op Add) has inputs from different frames"));
}

// Functions. ----------------------------------------------------------------

std::string Call(const std::string& name, const std::string& function) {
  return "node_def { name: \"" + name + "\" op: \"PartitionedCall\" " +
         Attr("Tin", "list { }") + Attr("Tout", "list { }") +
         Attr("f", "func { name: \"" + function + "\" }") + "}";
}

// Returns a library of one function without arguments.
std::string Function(const std::string& name, const std::string& body) {
  return "library { function { signature { name: \"" + name + "\" } " + body +
         " } }\n";
}

std::string CallNode(const std::string& name, const std::string& function) {
  return NodeText(name, "PartitionedCall", {},
                  Attr("Tin", "list { }") + Attr("Tout", "list { }") +
                      Attr("f", "func { name: \"" + function + "\" }"));
}

// CVE-2022-23591 is about functions that call themselves. Their import ends.
// The test FunctionCallsTest.CallsWithoutEndFail runs such a function.
TEST(BadGraphsTest, RecursionIsNoNesting) {
  EXPECT_EQ(ImportError(Function("f", Call("c", "f"))), "OK");
  EXPECT_EQ(ImportError(Function("f", "node_def { name: \"c\" op: \"f\" }")),
            "OK");
  EXPECT_EQ(ImportError(Function("f", Call("c", "g")) +
                        Function("g", Call("c", "h")) +
                        Function("h", "node_def { name: \"c\" op: \"f\" }")),
            "OK");
}

TEST(BadGraphsTest, RefusesDeepNesting) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    text += Function(absl::StrCat("f", i), Call("c", absl::StrCat("f", i + 1)));
  }
  text += Function("f10000", "");
  EXPECT_THAT(ImportError(text),
              AllOf(HasSubstr("nests calls"),
                    HasSubstr("the limit is 100 (max_nesting)")));
  EXPECT_EQ(ImportError(text, {.max_nesting = 10'001}), "OK");
}

TEST(BadGraphsTest, RefusesGraphsThatInliningBlowsUp) {
  std::string text;
  for (int i = 0; i < 64; ++i) {
    const std::string next = absl::StrCat("f", i + 1);
    text += Function(absl::StrCat("f", i), Call("a", next) + Call("b", next));
  }
  text += Function("f64", "node_def { name: \"n\" op: \"NoOp\" }");
  EXPECT_EQ(ImportError(text), "OK");  // no node calls f0
  EXPECT_THAT(ImportError(text + CallNode("call", "f0")),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED: the graph has over 2^63 "
                              "nodes"),
                    HasSubstr("the limit is 4000000 (max_graph_nodes)")));
}

TEST(BadGraphsTest, RefusesFunctionsThatDoNotExist) {
  EXPECT_THAT(
      ImportError(CallNode("a", "f")),
      HasSubstr("node 'a': attr 'f': function 'f' is not in the library"));
  EXPECT_THAT(ImportError(CallNode("a", "f") + Function("f", Call("c", "g"))),
              AllOf(HasSubstr("function 'f', node 'c'"),
                    HasSubstr("function 'g' is not in the library")));
  EXPECT_THAT(
      ImportError(CallNode("a", "f") +
                  Function("f", "node_def { name: \"c\" op: \"Nope\" }")),
      HasSubstr(
          "NOT_FOUND: function 'f', node 'c': Op type not registered 'Nope'"));
}

// Nodes of these ops rely on attrs that planning sets, such as keys and
// positions. A client that could send such nodes could take or replace tensors
// of another step.
TEST(BadGraphsTest, RefusesOpsThatOnlyPlanningAdds) {
  for (const char* const op : {"_Arg", "_Retval", "_Send", "_Recv", "_HostSend",
                               "_HostRecv", "_LeatMaxPoolReluGrad"}) {
    EXPECT_THAT(ImportErrorOfAllOps(NodeText("a", op)),
                HasSubstr("internal use"))
        << op;
    const std::string body =
        absl::StrCat("node_def { name: \"c\" op: \"", op, "\" }");
    EXPECT_THAT(ImportErrorOfAllOps(Function("f", body)),
                HasSubstr("internal use"))
        << op;
  }
}

TEST(BadGraphsTest, ToleratesUnknownOpsWhereNothingCallsThem) {
  EXPECT_EQ(ImportError(Function("f", "node_def { name: \"c\" op: \"Nope\" }")),
            "OK");
}

TEST(BadGraphsTest, RefusesFunctionsThatContradictThemselves) {
  const std::vector<std::string> functions = {
      // These signatures are invalid.
      "signature { }", "signature { name: \"NoOp\" }",
      "signature { name: \"f\" input_arg { name: \"a\" } }",
      "signature { name: \"f\" input_arg { name: \"\" type: DT_FLOAT } }",
      "signature { name: \"f\" input_arg { name: \"a\" type: 99 } }",
      "signature { name: \"f\" input_arg { name: \"a\" type: DT_FLOAT_REF } }",
      "signature { name: \"f\" input_arg { name: \"a\" type_attr: \"T\" } }",
      "signature { name: \"f\" attr { name: \"T\" type: \"int\" } "
      "input_arg { name: \"a\" type_attr: \"T\" } }",
      "signature { name: \"f\" attr { name: \"T\" type: \"typo\" } }",
      "signature { name: \"f\" attr { name: \"T\" type: \"int\" "
      "default_value { s: \"x\" } } }",
      "signature { name: \"f\" input_arg { name: \"a\" type: DT_FLOAT } "
      "input_arg { name: \"a\" type: DT_FLOAT } }",
      // These returns are invalid.
      "signature { name: \"f\" output_arg { name: \"r\" type: DT_FLOAT } }",
      "signature { name: \"f\" } ret { key: \"r\" value: \"x\" }",
      "signature { name: \"f\" output_arg { name: \"r\" type: DT_FLOAT } } "
      "ret { key: \"r\" value: \"x:y:0\" }",
      "signature { name: \"f\" control_output: \"c\" }",
      "signature { name: \"f\" control_output: \"c\" } "
      "control_ret { key: \"c\" value: \"x\" }",
      "signature { name: \"f\" } arg_attr { key: 4000000000 value { } }",
      // These bodies are invalid.
      "signature { name: \"f\" } node_def { name: \"a\" op: \"NoOp\" } "
      "node_def { name: \"a\" op: \"NoOp\" }",
      "signature { name: \"f\" } node_def { name: \"\" op: \"NoOp\" }",
      "signature { name: \"f\" } node_def { name: \"a\" op: \"Neg\" "
      "input: \"b:y:0\" }",
      "signature { name: \"f\" } node_def { name: \"a\" op: \"Neg\" "
      "input: \"a:y:0\" }",
      "signature { name: \"f\" } node_def { name: \"a\" op: \"NoOp\" "
      "input: \"^a\" }",
      "signature { name: \"f\" } node_def { name: \"a\" op: \"NoOp\" } "
      "node_def { name: \"b\" op: \"Neg\" input: \"a:y:0\" }",
      "signature { name: \"f\" input_arg { name: \"x\" type: DT_FLOAT } } "
      "node_def { name: \"a\" op: \"Neg\" input: \"x\" } "
      "node_def { name: \"b\" op: \"Neg\" input: \"a:y:1\" }",
      "signature { name: \"f\" input_arg { name: \"x\" type: DT_FLOAT } } "
      "node_def { name: \"b\" op: \"Neg\" input: \"x:0:0:0\" }",
      "signature { name: \"f\" } node_def { name: \"a\" op: \"NoOp\" "
      "device: \"/job:/x\" }"};
  for (const std::string& function : functions) {
    EXPECT_THAT(ImportError("library { function { " + function + " } }"),
                HasSubstr("INVALID_ARGUMENT: "))
        << function;
  }
}

TEST(BadGraphsTest, RefusesTwoFunctionsOfOneName) {
  EXPECT_THAT(
      ImportError(Function("f", "") +
                  Function("f", "node_def { name: \"n\" op: \"NoOp\" }")),
      HasSubstr("function 'f'"));
  EXPECT_EQ(ImportError(Function("f", "") + Function("f", "")), "OK");
}

TEST(BadGraphsTest, RefusesFunctionsNestedInAttrs) {
  pb::GraphDef graph = ParseGraph(NodeText("a", "NoOp"));
  pb::AttrValue* attr = &(*graph.mutable_node(0)->mutable_attr())["_f"];
  for (int i = 0; i < 90; ++i) {
    attr->mutable_func()->set_name("g");
    attr = &(*attr->mutable_func()->mutable_attr())["f"];
  }
  EXPECT_THAT(ImportGraphDef(graph, FewOps()).status().ToString(),
              HasSubstr("node 'a': attr '_f'"));
}

TEST(BadGraphsTest, KeepsToTheLimits) {
  const std::string text =
      FloatPlaceholder("x") + NodeText("a", "Neg", {"x"}, Float()) +
      Function("f", "node_def { name: \"n\" op: \"NoOp\" }");
  EXPECT_EQ(ImportError(text, {.max_nodes = 3}), "OK");
  EXPECT_THAT(ImportError(text, {.max_nodes = 2}),
              HasSubstr("RESOURCE_EXHAUSTED: the graph has 3 nodes; the limit "
                        "is 2 (max_graph_nodes)"));
  EXPECT_THAT(ImportError(text, {.max_edges = 0}),
              HasSubstr("1 edges; the limit is 0 (max_graph_edges)"));
  EXPECT_THAT(ImportError(text, {.max_functions = 0}),
              HasSubstr("1 functions; the limit is 0 (max_graph_functions)"));
}

}  // namespace
}  // namespace leat::bad_graphs_test
