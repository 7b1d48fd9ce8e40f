// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/lowering/lower.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/io/graph_file.h"
#include "leat/tests/graph/graph_testing.h"

namespace leat::lower_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Negate() {
  return FunctionText(
      "negate", 1, "DT_FLOAT",
      InnerNode("neg", "Neg", {"a0"}, Float()) + Return("neg:y:0"));
}

std::string True() {
  return FunctionText(
      "always", 1, "DT_BOOL",
      InnerNode("true", "Const", {},
                Attr("dtype", "type: DT_BOOL") +
                    Attr("value",
                         "tensor { dtype: DT_BOOL tensor_shape {} bool_val: "
                         "true }")) +
          Return("true:output:0"));
}

std::string Call(const std::string& name, const std::string& function,
                 const std::vector<std::string>& inputs) {
  return NodeText(name, "PartitionedCall", inputs,
                  Floats("Tin", 1) + Floats("Tout", 1) + Func("f", function) +
                      "device: \"/job:ps/device:CPU:0\" ");
}

absl::StatusOr<Graph> Lowered(const std::string& text,
                              const LowerLimits& limits = {}) {
  absl::StatusOr<Graph> graph = ImportGraphDef(ParseGraph(text), BuiltinOps());
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return graph;
  const absl::Status status = LowerFunctions(*graph, limits);
  if (!status.ok()) return status;
  return graph;
}

std::string LowerError(const std::string& text,
                       const LowerLimits& limits = {}) {
  return std::string(Lowered(text, limits).status().ToString());
}

TEST(LowerTest, InlinesACallAndKeepsItsName) {
  const auto graph =
      Lowered(Negate() + FloatPlaceholder("x") + NodeText("first", "NoOp") +
              Call("call", "negate", {"x", "^first"}) +
              NodeText("use", "Neg", {"call"}, Float()));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const NodeId inner = graph->Find("call/neg");
  ASSERT_NE(inner, kNoNode);
  EXPECT_EQ(graph->node(inner).def->device, "/job:ps/device:CPU:0");
  EXPECT_EQ(graph->node(graph->Find("use")).inputs[0], (Endpoint{inner, 0}));
  const Node& kept = graph->node(graph->Find("call"));
  EXPECT_EQ(kept.op(), "IdentityN");
  EXPECT_EQ(kept.inputs[0], (Endpoint{inner, 0}));
  // The body waits for the nodes that the call waits for.
  const Node& arg = graph->node(graph->node(inner).inputs[0].node);
  EXPECT_EQ(arg.name(), "call/a0");
  ASSERT_EQ(arg.controls.size(), 1);
  EXPECT_EQ(arg.controls[0], graph->Find("first"));
}

TEST(LowerTest, InlinesChainsOfCallsAndCallsByName) {
  const std::string twice = FunctionText(
      "twice", 1, "DT_FLOAT",
      InnerNode("one", "negate", {"a0"}) +
          InnerNode("two", "negate", {"one:r:0"}) + Return("two:r:0"));
  const auto graph =
      Lowered(Negate() + twice + FloatPlaceholder("x") +
              Call("a", "twice", {"x"}) + NodeText("b", "twice", {"a"}));
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const char* name :
       {"a/one/neg", "a/two/neg", "b/one/neg", "b/two/neg"}) {
    EXPECT_NE(graph->Find(name), kNoNode) << name;
  }
  for (const NodeId id : graph->NodeIds()) {
    EXPECT_EQ(graph->functions().Find(graph->node(id).op()), nullptr);
    EXPECT_NE(graph->node(id).op(), "PartitionedCall");
  }
}

TEST(LowerTest, MakesALoopOfAWhile) {
  const auto graph = Lowered(Negate() + True() + FloatPlaceholder("x") +
                             NodeText("loop", "StatelessWhile", {"x"},
                                      Floats("T", 1) + Func("cond", "always") +
                                          Func("body", "negate") +
                                          Attr("parallel_iterations", "i: 3")));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto frames = FindFrames(*graph);
  ASSERT_TRUE(frames.ok()) << frames.status();
  ASSERT_EQ(frames->frames.size(), 2);
  EXPECT_EQ(frames->frames[1].name, "loop");
  const Node& enter = graph->node(graph->Find("loop/enter_0"));
  EXPECT_EQ(*enter.attrs().Get<int64_t>("parallel_iterations"), 3);
  EXPECT_FALSE(*enter.attrs().Get<bool>("is_constant"));
  // The control edge from the Merge puts the constant into the frame, so that
  // the constant runs in every iteration.
  const Node& constant = graph->node(graph->Find("loop/cond/true"));
  ASSERT_EQ(constant.controls.size(), 1);
  EXPECT_EQ(constant.controls[0], graph->Find("loop/merge_0"));
}

// Returns a function of `count` floats a0, a1, ... If `negates` is true, the
// function returns each float negated; otherwise it returns one bool.
std::string ManyFloats(const std::string& name, int count, bool negates) {
  std::string args;
  std::string body;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&args, " input_arg { name: \"a", i, "\" type: DT_FLOAT }");
    if (!negates) continue;
    absl::StrAppend(&args, " output_arg { name: \"r", i, "\" type: DT_FLOAT }");
    body +=
        InnerNode(absl::StrCat("n", i), "Neg", {absl::StrCat("a", i)}, Float());
    absl::StrAppend(&body, "ret { key: \"r", i, "\" value: \"n", i,
                    ":y:0\" } ");
  }
  if (!negates) {
    args += " output_arg { name: \"r\" type: DT_BOOL }";
    body = InnerNode("true", "Const", {},
                     Attr("dtype", "type: DT_BOOL") +
                         Attr("value",
                              "tensor { dtype: DT_BOOL tensor_shape {} "
                              "bool_val: true }")) +
           Return("true:output:0");
  }
  return "library { function { signature { name: \"" + name + "\"" + args +
         " } " + body + " } }\n";
}

// Returns the text of a node with `count` float inputs and `controls` control
// inputs. The text begins with the nodes of these inputs.
std::string WideNode(const std::string& name, const std::string& op, int count,
                     int controls, const std::string& attrs) {
  std::string text = FloatPlaceholder("x");
  std::vector<std::string> inputs(count, "x");
  for (int i = 0; i < controls; ++i) {
    text += FloatPlaceholder(absl::StrCat("c", i));
    inputs.push_back(absl::StrCat("^c", i));
  }
  return text + NodeText(name, op, inputs, attrs);
}

std::string WideLoop(int variables, int controls) {
  return ManyFloats("wide_always", variables, /*negates=*/false) +
         ManyFloats("wide_negate", variables, /*negates=*/true) +
         WideNode("loop", "StatelessWhile", variables, controls,
                  Floats("T", variables) + Func("cond", "wide_always") +
                      Func("body", "wide_negate"));
}

int64_t CountControlEdges(const Graph& graph) {
  int64_t count = 0;
  for (const NodeId id : graph.NodeIds()) {
    count += static_cast<int64_t>(graph.node(id).controls.size());
  }
  return count;
}

TEST(LowerTest, ALoopWaitsOnceForItsControlInputs) {
  constexpr int kCount = 2000;
  const auto graph = Lowered(WideLoop(kCount, kCount));
  ASSERT_TRUE(graph.ok()) << graph.status();
  // There are control edges from the loop's control inputs to the gate, from
  // the gate to each Enter, and from each Exit. The number of other control
  // edges does not depend on kCount.
  EXPECT_LE(CountControlEdges(*graph), 3 * kCount + 10);
  const NodeId gate = graph->Find("loop/input_control");
  ASSERT_NE(gate, kNoNode);
  EXPECT_EQ(graph->node(gate).controls.size(), size_t{kCount});
  for (int i = 0; i < kCount; i += 999) {
    const Node& enter =
        graph->node(graph->Find(absl::StrCat("loop/enter_", i)));
    EXPECT_THAT(enter.controls, ::testing::ElementsAre(gate));
  }
}

TEST(LowerTest, AnIterationWaitsOnceForWhatTheOneBeforeDoes) {
  constexpr int kCount = 500;
  // The body has as many stateful nodes as loop variables.
  std::string body = ManyFloats("wide_negate", kCount, /*negates=*/true);
  std::string effects = InnerNode(
      "shape", "Const", {},
      Attr("dtype", "type: DT_INT32") +
          Attr("value",
               "tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } "
               "int_val: 1 }"));
  for (int i = 0; i < kCount; ++i) {
    effects += InnerNode(
        absl::StrCat("effect", i), "RandomUniform", {"shape:output:0"},
        Attr("dtype", "type: DT_FLOAT") + Attr("T", "type: DT_INT32"));
  }
  body.insert(body.rfind("} }"), effects);
  const auto graph =
      Lowered(ManyFloats("wide_always", kCount, /*negates=*/false) + body +
              WideNode("loop", "While", kCount, 0,
                       Floats("T", kCount) + Func("cond", "wide_always") +
                           Func("body", "wide_negate")));
  ASSERT_TRUE(graph.ok()) << graph.status();
  // There are control edges from the stateful nodes to the gate, from the gate
  // to each NextIteration, and from each Exit. The number of other control
  // edges does not depend on kCount.
  EXPECT_LE(CountControlEdges(*graph), 3 * kCount + 10);
  const NodeId gate = graph->Find("loop/body_executed");
  ASSERT_NE(gate, kNoNode);
  EXPECT_EQ(graph->node(gate).controls.size(), size_t{kCount});
  EXPECT_THAT(graph->node(graph->Find("loop/next_iteration_99")).controls,
              ::testing::ElementsAre(gate));
}

TEST(LowerTest, ACallWaitsOnceForItsControlInputs) {
  constexpr int kCount = 2000;
  const auto graph =
      Lowered(ManyFloats("wide_negate", kCount, /*negates=*/true) +
              WideNode("call", "PartitionedCall", kCount, kCount,
                       Floats("Tin", kCount) + Floats("Tout", kCount) +
                           Func("f", "wide_negate")));
  ASSERT_TRUE(graph.ok()) << graph.status();
  // There are control edges from the call's control inputs to the gate, from
  // the gate to each argument, and from each result.
  EXPECT_LE(CountControlEdges(*graph), 3 * kCount + 10);
  const NodeId gate = graph->Find("call/input_control");
  ASSERT_NE(gate, kNoNode);
  EXPECT_EQ(graph->node(gate).controls.size(), size_t{kCount});
  EXPECT_THAT(graph->node(graph->Find("call/a999")).controls,
              ::testing::ElementsAre(gate));
}

TEST(LowerTest, ALoopWithoutVariablesWaitsForItsControlInputs) {
  const auto graph = Lowered(WideLoop(0, 2));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const NodeId gate = graph->Find("loop/input_control");
  ASSERT_NE(gate, kNoNode);
  EXPECT_THAT(graph->node(graph->Find("loop/iterates")).controls,
              ::testing::ElementsAre(gate));
  EXPECT_THAT(
      graph->node(gate).controls,
      ::testing::UnorderedElementsAre(graph->Find("c0"), graph->Find("c1")));
}

// Returns a function with two groups of `count` nodes. Each node of the second
// group waits for every node of the first group.
std::string Crossed(int count) {
  std::vector<std::string> controls = {"a0"};
  std::string body;
  for (int i = 0; i < count; ++i) {
    body += InnerNode(absl::StrCat("from", i), "Neg", {"a0"}, Float());
    controls.push_back(absl::StrCat("^from", i));
  }
  for (int i = 0; i < count; ++i) {
    body += InnerNode(absl::StrCat("to", i), "Neg", controls, Float());
  }
  return FunctionText("crossed", 1, "DT_FLOAT", body + Return("to0:y:0"));
}

TEST(LowerTest, BoundsTheEdgesOfAllBodies) {
  std::string text = Crossed(20) + FloatPlaceholder("x");
  for (int i = 0; i < 4; ++i) {
    text += Call(absl::StrCat("call_", i), "crossed", {"x"});
  }
  EXPECT_THAT(
      LowerError(text, {.max_edges = 1500}),
      AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("'call_3'"),
            HasSubstr("over 1500 edges"), HasSubstr("(max_graph_edges)")));
  EXPECT_EQ(LowerError(text, {.max_edges = 1900}), "OK");
}

TEST(LowerTest, RefusesFunctionsThatDoNotFit) {
  const std::string x = FloatPlaceholder("x");
  EXPECT_THAT(LowerError(Negate() + x +
                         NodeText("loop", "While", {"x"},
                                  Floats("T", 1) + Func("cond", "negate") +
                                      Func("body", "negate"))),
              AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("node 'loop'"),
                    HasSubstr("function 'negate'"), HasSubstr("needs bool")));
  EXPECT_THAT(LowerError(Negate() + True() + x +
                         NodeText("loop", "While", {"x", "x"},
                                  Floats("T", 2) + Func("cond", "always") +
                                      Func("body", "negate"))),
              AllOf(HasSubstr("node 'loop'"),
                    HasSubstr("has 1 arguments, but this node needs 2")));
  EXPECT_THAT(LowerError(Negate() + True() + x + Call("call", "always", {"x"})),
              AllOf(HasSubstr("node 'call'"), HasSubstr("needs float")));
  EXPECT_THAT(LowerError(x + Call("call", "bad", {"x"}) +
                         FunctionText("bad", 1, "DT_FLOAT",
                                      InnerNode("neg", "Neg", {"a0"},
                                                Attr("T", "type: DT_INT32")) +
                                          Return("a0"))),
              AllOf(HasSubstr("function 'bad', node 'neg'"),
                    HasSubstr("expected int32")));
}

TEST(LowerTest, RefusesReferencesInSignatures) {
  EXPECT_THAT(
      LowerError(
          FloatPlaceholder("x") + NodeText("call", "bad", {"x"}) +
          "library { function { signature { name: \"bad\" input_arg { name: "
          "\"a\" type: DT_FLOAT } output_arg { name: \"r\" type: DT_FLOAT "
          "is_ref: true } } " +
          Return("a") + "} }"),
      AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("reference")));
}

TEST(LowerTest, LowersGradientsOfFunctionalControlFlow) {
  auto graph = LoadGraph(
      absl::StrCat(LEAT_TESTS_DIR, "/graphs/control_flow_functional.pbtxt"),
      BuiltinOps());
  ASSERT_TRUE(graph.ok()) << graph.status();
  const absl::Status status = LowerFunctions(*graph);
  ASSERT_TRUE(status.ok()) << status;
  for (const NodeId id : graph->NodeIds()) {
    EXPECT_THAT(graph->node(id).op(),
                Not(AnyOf("If", "StatelessIf", "While", "StatelessWhile")));
  }
}

TEST(LowerTest, BoundsTheGraph) {
  const std::string text =
      Negate() + FloatPlaceholder("x") + Call("call", "negate", {"x"});
  EXPECT_THAT(LowerError(text, {.max_nodes = 3}),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("'call'"),
                    HasSubstr("over 3 nodes")));
  EXPECT_EQ(LowerError(text, {.max_nodes = 5}), "OK");
}

// Returns a function that consists of two Splits, each into `n` parts.
std::string Splits(int64_t n) {
  const std::string split = Float() + Attr("num_split", absl::StrCat("i: ", n));
  const std::string axis =
      Attr("dtype", "type: DT_INT32") +
      Attr("value", "tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 }");
  return FunctionText(
      "splits", 1, "DT_FLOAT",
      InnerNode("axis", "Const", {}, axis) +
          InnerNode("first", "Split", {"axis:output:0", "a0"}, split) +
          InnerNode("second", "Split", {"axis:output:0", "a0"}, split) +
          Return("second:output:0"));
}

TEST(LowerTest, BoundsTheOutputsOfOneBody) {
  const std::string text =
      Splits(1'000'000) + FloatPlaceholder("x") + Call("call", "splits", {"x"});
  EXPECT_THAT(LowerError(text, {.max_outputs = 1'500'000}),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("'call'"),
                    HasSubstr("'splits', node 'second'"),
                    HasSubstr("2000005 inputs and outputs; the limit is "
                              "1500000 (max_graph_outputs)")));
}

TEST(LowerTest, BoundsTheOutputsOfAllBodies) {
  std::string text = Splits(100) + FloatPlaceholder("x");
  for (int i = 0; i < 4; ++i) {
    text += Call(absl::StrCat("call_", i), "splits", {"x"});
  }
  EXPECT_THAT(LowerError(text, {.max_outputs = 700}),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("'call_3'"),
                    HasSubstr("over 700 outputs")));
  EXPECT_EQ(LowerError(text, {.max_outputs = 900}), "OK");
}

// Returns a function `again` that negates its argument and calls itself.
std::string Again() {
  return FunctionText("again", 1, "DT_FLOAT",
                      InnerNode("neg", "Neg", {"a0"}, Float()) +
                          InnerNode("call", "again", {"neg:y:0"}) +
                          Return("call:r:0"));
}

TEST(LowerTest, CallsOfRecursiveFunctionsRemain) {
  const std::string caller = FunctionText(
      "caller", 1, "DT_FLOAT",
      InnerNode("exp", "Exp", {"a0"}, Float()) +
          InnerNode("call", "again", {"exp:y:0"}) + Return("call:r:0"));
  const auto graph = Lowered(Again() + caller + FloatPlaceholder("x") +
                             Call("y", "caller", {"x"}));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_NE(graph->Find("y/exp"), kNoNode);
  const NodeId id = graph->Find("y/call/again");
  ASSERT_NE(id, kNoNode);
  const Node& call = graph->node(id);
  EXPECT_EQ(call.op(), "StatefulPartitionedCall");
  EXPECT_TRUE(call.attrs().Has(kCallAtRunTime));
  EXPECT_EQ(call.attrs().Get<FunctionRef>("f")->name, "again");
  EXPECT_EQ(call.def->device, "/job:ps/device:CPU:0");
  EXPECT_EQ(graph->Find("y/call/neg"), kNoNode);
}

std::string Gradient(const std::string& name, const std::string& function) {
  return NodeText(name, "SymbolicGradient", {"x", "dy"},
                  Floats("Tin", 2) + Floats("Tout", 1) + Func("f", function));
}

TEST(LowerTest, MakesTheGradientsOfFunctions) {
  const auto graph = Lowered(Negate() + FloatPlaceholder("x") +
                             FloatPlaceholder("dy") + Gradient("dx", "negate"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->functions().Gradient("negate"), "negate/gradient");
  // The gradient of Neg is a Neg of the gradient of its output.
  const Node& kept = graph->node(graph->Find("dx"));
  const Node& result = graph->node(kept.inputs[0].node);
  EXPECT_EQ(result.op(), "Neg");
  EXPECT_THAT(result.name(), HasSubstr("neg_grad"));
}

TEST(LowerTest, UsesTheGradientThatAFunctionNames) {
  const std::string gradient =
      FunctionText("own", 2, "DT_FLOAT",
                   InnerNode("product", "Mul", {"a0", "a1"}, Float()) +
                       Return("product:z:0")) +
      "library { gradient { function_name: \"negate\" gradient_func: "
      "\"own\" } }\n";
  const auto graph = Lowered(Negate() + gradient + FloatPlaceholder("x") +
                             FloatPlaceholder("dy") + Gradient("dx", "negate"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_NE(graph->Find("dx/product"), kNoNode);
}

TEST(LowerTest, GradientsOfRecursiveFunctionsCallThemselves) {
  const auto graph = Lowered(Again() + FloatPlaceholder("x") +
                             FloatPlaceholder("dy") + Gradient("dx", "again"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_NE(graph->Find("dx/again/gradient"), kNoNode);
}

TEST(LowerTest, CallsWithTheSameAttrsShareAGradient) {
  const std::string negate =
      "library { function { signature { name: \"any\" "
      "input_arg { name: \"a\" type_attr: \"T\" } "
      "output_arg { name: \"r\" type_attr: \"T\" } "
      "attr { name: \"T\" type: \"type\" } } " +
      InnerNode("neg", "Neg", {"a"}, Attr("T", "placeholder: \"T\"")) +
      Return("neg:y:0") + "} }\n";
  std::string text = negate + FloatPlaceholder("x") + FloatPlaceholder("dy");
  for (int i = 0; i < 3; ++i) {
    text += NodeText(absl::StrCat("dx", i), "SymbolicGradient", {"x", "dy"},
                     Floats("Tin", 2) + Floats("Tout", 1) +
                         Attr("f", "func { name: \"any\" " +
                                       Attr("T", "type: DT_FLOAT") + "}"));
  }
  const auto graph = Lowered(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->functions().size(), 2u);
}

TEST(LowerTest, SaysWhyAFunctionHasNoGradient) {
  const std::string text = FloatPlaceholder("x") + FloatPlaceholder("dy");
  const std::string rounded = FunctionText(
      "compared", 1, "DT_FLOAT",
      InnerNode("check", "CheckNumerics", {"a0"},
                Float() + Attr("message", "s: \"\"")) +
          InnerNode("grad", "ReluGrad", {"check:output:0", "a0"}, Float()) +
          Return("grad:backprops:0"));
  EXPECT_THAT(LowerError(rounded + text + Gradient("dx", "compared")),
              AllOf(HasSubstr("node 'dx' (SymbolicGradient)"),
                    HasSubstr("node 'grad' (ReluGrad)"),
                    HasSubstr("has no registered gradient")));
  EXPECT_THAT(
      LowerError(
          Negate() + text +
          NodeText("dx", "SymbolicGradient", {"x"},
                   Floats("Tin", 1) + Floats("Tout", 1) + Func("f", "negate"))),
      HasSubstr("function 'negate/gradient' has 2 arguments, but this node "
                "needs 1"));
}

TEST(LowerTest, ARemoteCallRunsOnItsTarget) {
  const auto remote = [](const std::string& target) {
    return NodeText("y", "RemoteCall", {target, "x"},
                    Floats("Tin", 1) + Floats("Tout", 1) + Func("f", "negate") +
                        "device: \"/job:ps/task:1\" ");
  };
  const std::string text =
      Negate() + FloatPlaceholder("x") +
      NodeText("device", "Const", {},
               Attr("dtype", "type: DT_STRING") +
                   Attr("value",
                        "tensor { dtype: DT_STRING tensor_shape {} "
                        "string_val: \"/task:2/cpu:0\" }"));
  const auto graph = Lowered(text + remote("device"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const NodeId neg = graph->Find("y/neg");
  ASSERT_NE(neg, kNoNode);
  EXPECT_EQ(graph->node(neg).def->device, "/job:ps/task:2/device:CPU:0");
  // If the target is known in the step only, the kernel makes the call.
  const auto later = Lowered(
      text +
      NodeText("fed", "Placeholder", {}, Attr("dtype", "type: DT_STRING")) +
      remote("fed"));
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_EQ(later->node(later->Find("y")).op(), "RemoteCall");
}

}  // namespace
}  // namespace leat::lower_test
