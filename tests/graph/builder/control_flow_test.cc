// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the structure and the errors of Cond, Case and While.
// tests/train/control_flow_gradients_test.cc checks the computed values.
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/autodiff/gradients.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/lowering/lower.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"

namespace leat::control_flow_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using Outputs = std::vector<Output>;
using Variables = absl::Span<const Output>;

std::string Message(const GraphBuilder& b) {
  return std::string(b.status().message());
}

std::vector<std::string> Ops(const Function& function) {
  std::vector<std::string> ops;
  for (const FunctionNode& node : function.nodes) ops.push_back(node.op);
  return ops;
}

const FunctionNode& Find(const Function& function, absl::string_view op) {
  static const FunctionNode* const kNone = new FunctionNode;
  for (const FunctionNode& node : function.nodes) {
    if (node.op == op) return node;
  }
  ADD_FAILURE() << function.signature.name << " has no " << op;
  return *kNone;
}

const Function& Find(const Graph& graph, absl::string_view name) {
  static const Function* const kNone = new Function;
  const Function* function = graph.functions().Find(name);
  EXPECT_NE(function, nullptr) << name;
  return function == nullptr ? *kNone : *function;
}

// Builds the graph of `b`, and checks every function in it. Also checks that
// export and import do not change the graph, and that the graph can be lowered.
Graph Built(GraphBuilder& b) {
  absl::StatusOr<Graph> graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return Graph(BuiltinOps());
  EXPECT_EQ(ValidateFunctions(*graph), absl::OkStatus());
  for (const auto& [name, function] : graph->functions().functions()) {
    EXPECT_EQ(ValidateBody(*function, BuiltinOps(), graph->functions()),
              absl::OkStatus());
  }
  pb::GraphDef message;
  EXPECT_EQ(ExportGraphDef(*graph, message), absl::OkStatus());
  absl::StatusOr<Graph> again = ImportGraphDef(message, BuiltinOps());
  EXPECT_TRUE(again.ok()) << again.status();
  if (again.ok()) {
    EXPECT_EQ(Difference(*graph, *again), "");
    EXPECT_EQ(LowerFunctions(*again), absl::OkStatus());
  }
  return *std::move(graph);
}

Outputs Counted(Output start, int32_t limit,
                absl::FunctionRef<Output(Output)> step) {
  const Output zero = start.builder()->Const<int32_t>(0, "zero");
  return While(
      {zero, start}, [&](Variables v) { return op::Less(v[0], limit); },
      [&](Variables v) {
        return Outputs{v[0] + 1, step(v[1])};
      });
}

TEST(ControlFlowTest, NoTwoFunctionsHaveTheSameName) {
  GraphBuilder b;
  const Output t = b.Const(true);
  const auto same = [&] { return Outputs{t}; };
  for (const char* name : {"a.b", "a_b", "a.b", "a_b_1", "a-b", "a-b_1"}) {
    Cond(t, same, same, {.name = name});
  }
  Cond(t, same, same, {.name = "c"});
  Cond(t, same, same, {.name = "c_then"});
  EXPECT_EQ(Built(b).functions().functions().size(), 16u);
}

TEST(ControlFlowTest, MakesAnIfWithWhatItsBranchesUse) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  const Output w = b.Placeholder<float>("w", {2});
  const Output pred = b.Placeholder<bool>("pred", Shape{});
  const Outputs y = Cond(
      pred,
      [&] {
        return Outputs{x * w, op::Neg(x)};
      },
      [&] {
        return Outputs{x, b.Const(Tensor::Vector<float>({1, 2}))};
      });
  ASSERT_EQ(y.size(), 2u);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(y[0].name(), "cond:0");
  EXPECT_EQ(y[1].name(), "cond:1");
  EXPECT_EQ(y[0].operation().op(), "StatelessIf");
  EXPECT_EQ(y[0].shape(), (PartialShape{2}));
  ASSERT_EQ(y[0].operation().num_inputs(), 3);
  EXPECT_EQ(y[0].operation().input(0), pred);
  EXPECT_EQ(y[0].operation().input(1), x);
  EXPECT_EQ(y[0].operation().input(2), w);
  const Graph graph = Built(b);
  EXPECT_EQ(graph.num_nodes(), 5);  // x, w, pred, the If and init
  const Function& then_branch = Find(graph, "cond_then");
  EXPECT_THAT(Ops(then_branch), ElementsAre("Mul", "Neg"));
  EXPECT_THAT(then_branch.nodes[0].inputs, ElementsAre("x", "w"));
  EXPECT_THAT(Ops(Find(graph, "cond_else")), ElementsAre("Const"));
  EXPECT_THAT(Find(graph, "cond_else").returns,
              ElementsAre(std::make_pair("output", "x"),
                          std::make_pair("output_1", "Const:output:0")));
  EXPECT_EQ(Find(graph, "cond_else").signature.inputs.size(), 2u);
}

TEST(ControlFlowTest, JoinsTheShapesOfBranches) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2, 3});
  const Output y = b.Placeholder<float>("y", {4, 3});
  const Output pred = b.Const(true);
  const Output z = Cond(
      pred, [&] { return Outputs{x}; }, [&] { return Outputs{y}; })[0];
  EXPECT_EQ(z.shape(), (PartialShape{-1, 3}));
  Built(b);
}

TEST(ControlFlowTest, MakesACaseOfAnyNumberOfBranches) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const Output index = b.Placeholder<int32_t>("index", Shape{});
  const Outputs y =
      Case(index, {[&] { return Outputs{x}; }, [&] { return Outputs{x + 1}; },
                   [&] { return Outputs{x * x}; }});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_EQ(y[0].operation().op(), "StatelessCase");
  const Graph graph = Built(b);
  EXPECT_THAT(Ops(Find(graph, "case_branch2")), ElementsAre("Mul"));
}

TEST(ControlFlowTest, MakesAWhile) {
  GraphBuilder b;
  const Output i = b.Const<int32_t>(0, "i");
  const Output x = b.Placeholder<float>("x", {2});
  const Output w = b.Placeholder<float>("w", {2});
  const Output n = b.Placeholder<int32_t>("n", Shape{});
  const Outputs r = While(
      {i, x}, [&](Variables v) { return op::Less(v[0], n); },
      [&](Variables v) {
        return Outputs{v[0] + 1, v[1] * w};
      },
      {.name = "loop", .parallel_iterations = 3});
  ASSERT_EQ(r.size(), 2u);
  ASSERT_TRUE(b.status().ok()) << b.status();
  EXPECT_EQ(r[1].name(), "loop:1");
  EXPECT_EQ(r[1].shape(), (PartialShape{2}));
  const Operation loop = r[0].operation();
  EXPECT_EQ(loop.op(), "StatelessWhile");
  EXPECT_EQ(loop.attr<int64_t>("parallel_iterations"), 3);
  ASSERT_EQ(loop.num_inputs(), 4);
  EXPECT_EQ(loop.input(0), i);
  EXPECT_EQ(loop.input(2), n);
  EXPECT_EQ(loop.input(3), w);
  const Graph graph = Built(b);
  EXPECT_THAT(Ops(Find(graph, "loop_cond")), ElementsAre("Less"));
  EXPECT_THAT(Ops(Find(graph, "loop_body")),
              ElementsAre("Const", "AddV2", "Mul"));
  // The body returns the captured values n and w unchanged.
  EXPECT_EQ(Find(graph, "loop_body").returns[2].second, "n");
  EXPECT_EQ(Find(graph, "loop_body").returns[3].second, "w");
}

TEST(ControlFlowTest, ALoopStartsFromNumbersAndVariables) {
  GraphBuilder b;
  const Variable w = b.Variable("w", b.Const<float>({1, 2}));
  const Outputs r = While(
      {0, 0.5, w, {1, 2}, Tensor::Scalar<int64_t>(7)},
      [](Variables v) { return op::Less(v[0], 3); },
      [&](Variables v) {
        return Outputs{v[0] + 1, v[1] * 2, v[2] + w, v[3], v[4]};
      });
  ASSERT_EQ(r.size(), 5u) << b.status();
  ASSERT_TRUE(b.status().ok()) << b.status();
  const DType types[] = {DType::kInt32, DType::kFloat, DType::kFloat,
                         DType::kInt32, DType::kInt64};
  for (size_t i = 0; i < r.size(); ++i) EXPECT_EQ(r[i].dtype(), types[i]) << i;
  EXPECT_EQ(r[3].shape(), PartialShape({2}));
  EXPECT_EQ(r[0].operation().input(0).name(), "while_initial:0");
  EXPECT_EQ(r[0].operation().input(2), w.value());
}

TEST(ControlFlowTest, MaximumIterationsCount) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const Outputs r = While(
      {x}, [&](Variables v) { return op::Less(v[0], 100.0f); },
      [&](Variables v) { return Outputs{v[0] * 2.0f}; },
      {.maximum_iterations = 5});
  ASSERT_EQ(r.size(), 1u);
  const Graph graph = Built(b);
  EXPECT_THAT(Ops(Find(graph, "while_cond")),
              ElementsAre("Const", "Less", "Const", "Less", "LogicalAnd"));
}

TEST(ControlFlowTest, StatefulBodiesMakeStatefulNodes) {
  GraphBuilder b;
  b.SetSeed(1);
  const Output pred = b.Const(true);
  const Outputs y = Cond(
      pred,
      [&] {
        return Outputs{
            op::RandomUniform(Tensor::Vector<int32_t>({2}), DType::kFloat)};
      },
      [&] {
        return Outputs{b.Const(Tensor::Vector<float>({1, 2}))};
      });
  EXPECT_FALSE(y[0].IsValid());  // No input belongs to a builder.
  GraphBuilder c;
  const Output shape = c.Const(Tensor::Vector<int32_t>({2}));
  const Outputs z = Cond(
      c.Const(true),
      [&] { return Outputs{op::RandomUniform(shape, DType::kFloat)}; },
      [&] {
        return Outputs{c.Const(Tensor::Vector<float>({1, 2}))};
      });
  EXPECT_EQ(z[0].operation().op(), "If");
  Built(c);
}

TEST(ControlFlowTest, WhatHasAnEffectRunsThoughNothingUsesIt) {
  GraphBuilder b;
  const Variable v = b.Variable("v", b.Const(1.0f));
  const Output pred = b.Placeholder<bool>("pred", Shape{});
  const Output x = b.Placeholder<float>("x", Shape{});
  Cond(
      pred,
      [&] {
        op::AssignAddVariableOp(v.handle(), x);
        op::Square(v.value());  // dead code, because it only reads
        return Outputs{x};
      },
      [&] { return Outputs{x}; });
  const Graph graph = Built(b);
  const Function& branch = Find(graph, "cond_then");
  EXPECT_THAT(Ops(branch), ElementsAre("AssignAddVariableOp"));
  EXPECT_THAT(branch.control_returns,
              ElementsAre(std::make_pair("AssignAddVariableOp",
                                         "AssignAddVariableOp")));
  EXPECT_TRUE(branch.signature.is_stateful);
  EXPECT_EQ(graph.node(graph.Find("cond")).op(), "If");
}

TEST(ControlFlowTest, ReadsVariablesInTheBody) {
  GraphBuilder b;
  const Variable w = b.Variable("w", b.Const(2.0f));
  const Output x = b.Placeholder<float>("x", Shape{});
  Counted(x, 3, [&](Output v) { return v * w.value(); });
  const Graph graph = Built(b);
  EXPECT_THAT(Ops(Find(graph, "while_body")),
              ElementsAre("Const", "AddV2", "ReadVariableOp", "Mul"));
  const Node& loop = graph.node(graph.Find("while"));
  EXPECT_EQ(graph.node(loop.inputs.back().node).name(), "w");
}

TEST(ControlFlowTest, VariablesMadeInABodyBelongToTheGraph) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  {
    Scope scope = b.VariableScope("model");
    Counted(x, 3, [&](Output v) {
      Scope layer = b.VariableScope("layer");
      const Variable w = v.builder()->GetVariable(
          "w", DType::kFloat, Shape{}, [&] { return b.Const(2.0f); });
      const Variable plain = b.Variable("plain", b.Const(1.0f));
      EXPECT_FALSE(plain.handle().IsValid());  // initialized in the body
      return v * w.value();
    });
  }
  EXPECT_THAT(Message(b), AllOf(HasSubstr("plain"), HasSubstr("body")));

  GraphBuilder c;
  const Output y = c.Placeholder<float>("y", Shape{});
  const Output one = c.Const(1.0f);
  Scope device = c.OnDevice("/cpu:1");
  Counted(y, 3, [&](Output v) {
    Scope layer = c.VariableScope("layer");
    const Variable w = v.builder()->GetVariable(
        "w", DType::kFloat, Shape{}, [&] { return v.builder()->Const(2.0f); });
    return v * w.value() + c.Variable("plain", one).value();
  });
  ASSERT_TRUE(c.status().ok()) << c.status();
  ASSERT_EQ(c.variables().size(), 2u);
  EXPECT_EQ(c.variables()[0].name(), "layer/w");
  const Graph graph = Built(c);
  ASSERT_NE(graph.Find("layer/w"), kNoNode);
  EXPECT_EQ(graph.node(graph.Find("layer/w")).def->device, "/device:CPU:1");
  EXPECT_EQ(graph.node(graph.Find("init")).controls.size(), 2u);
}

TEST(ControlFlowTest, ScopesWorkInBodies) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const Operation before = op::Neg(x).operation();
  Scope outer = b.NameScope("outer");
  Scope job = b.OnDevice("/job:worker");
  Counted(x, 3, [&](Output v) {
    Scope names = b.NameScope("inner");
    Scope device = b.OnDevice("/cpu:1");
    const Output y = op::Sin(v);
    const Operation after[] = {y.operation(), before};
    Scope controls = v.builder()->ControlDependencies(after);
    return op::Cos(v);
  });
  const Graph graph = Built(b);
  const Function& body = Find(graph, "outer_while_body");
  EXPECT_EQ(Find(body, "Sin").name, "inner/Sin");
  EXPECT_EQ(Find(body, "Sin").device, "/device:CPU:1");
  EXPECT_EQ(Find(body, "Cos").inputs.back(), "^inner/Sin");
  const Node& loop = graph.node(graph.Find("outer/while"));
  EXPECT_EQ(loop.def->device, "/job:worker");
  // The control dependency of the body on `before` becomes a control edge to
  // the loop node.
  EXPECT_THAT(std::vector<NodeId>(loop.controls.begin(), loop.controls.end()),
              ElementsAre(before.id()));
}

TEST(ControlFlowTest, BodiesNest) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", Shape{});
  const Output w = b.Placeholder<float>("w", Shape{});
  const Outputs r = Counted(x, 3, [&](Output v) {
    return Cond(
        op::Greater(v, w),
        [&] {
          return Outputs{Counted(v, 2, [&](Output u) { return u * w; })[1]};
        },
        [&] { return Outputs{v * x}; })[0];
  });
  ASSERT_TRUE(b.status().ok()) << b.status();
  // Two of the inputs are x: one as the loop variable, and one as a value that
  // the innermost body captures.
  EXPECT_EQ(r[0].operation().num_inputs(), 4);
  const Graph graph = Built(b);
  std::vector<std::string> names;
  for (const auto& entry : graph.functions().functions()) {
    names.push_back(entry.first);
  }
  EXPECT_THAT(
      names, UnorderedElementsAre("while_cond", "while_body", "cond_then",
                                  "cond_else", "while_cond_1", "while_body_1"));
  EXPECT_EQ(Find(graph, "while_body_1").signature.inputs.size(), 3u);
}

TEST(ControlFlowTest, KnowsInABodyWhatIsKnownOutside) {
  GraphBuilder b;
  const Output shape = b.Const(Tensor::Vector<int32_t>({2, 3}));
  const Output x = b.Placeholder<float>("x", {6});
  const Output y = Cond(
      b.Const(true), [&] { return Outputs{op::Reshape(x, shape)}; },
      [&] { return Outputs{op::Reshape(x, shape) * 2.0f}; })[0];
  EXPECT_EQ(y.shape(), (PartialShape{2, 3}));
}

TEST(ControlFlowTest, ShapeInvariantsWiden) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  const Outputs r = While(
      {x}, [&](Variables) { return b.Const(true); },
      [&](Variables v) {
        return Outputs{op::ConcatV2({v[0], x}, 0)};
      },
      {.shape_invariants = {PartialShape{-1}}});
  EXPECT_EQ(r[0].shape(), (PartialShape{-1}));
  Built(b);
  GraphBuilder c;
  const Output y = c.Placeholder<float>("y", {2});
  While(
      {y}, [&](Variables) { return c.Const(true); },
      [&](Variables v) { return Outputs{v[0]}; },
      {.shape_invariants = {PartialShape{3}}});
  EXPECT_THAT(Message(c),
              AllOf(HasSubstr("y:0"), HasSubstr("[2]"), HasSubstr("[3]")));
}

TEST(ControlFlowTest, ColocatedWithWhatIsOutsideTakesItsDevice) {
  GraphBuilder b;
  Output x;
  {
    Scope device = b.OnDevice("/cpu:1");
    x = b.Placeholder<float>("x", {2});
  }
  Output inner;
  Cond(
      b.Const(true),
      [&] {
        Scope scope = b.ColocateWith(x.operation());
        return Outputs{op::Neg(x)};
      },
      [&] {
        inner = op::Exp(x);
        return Outputs{inner};
      });
  const Graph graph = Built(b);
  EXPECT_EQ(Find(Find(graph, "cond_then"), "Neg").device, "/device:CPU:1");
  EXPECT_FALSE(Find(Find(graph, "cond_then"), "Neg").attrs.Has("_class"));
  Scope scope = b.ColocateWith(inner.operation());
  EXPECT_THAT(Message(b), AllOf(HasSubstr("'Exp'"), HasSubstr("another")));
}

TEST(ControlFlowTest, UpdatesInABodyRunWithItsCaller) {
  GraphBuilder b;
  const Variable v = b.Variable("v", b.Const(1.0f));
  const Output x = b.Placeholder<float>("x", Shape{});
  const Outputs y = Cond(
      b.Const(true),
      [&] {
        b.AddUpdate(op::AssignVariableOp(v.handle(), x));
        return Outputs{x};
      },
      [&] { return Outputs{x}; });
  ASSERT_EQ(b.updates().size(), 1u);
  EXPECT_EQ(b.updates()[0], y[0].operation());
}

TEST(ControlFlowTest, BranchesForTheirEffectsGiveTheirOperation) {
  GraphBuilder b;
  const Variable v = b.Variable("v", b.Const(1.0f));
  const Output x = b.Placeholder<float>("x", Shape{});
  const auto assign = [&] { op::AssignVariableOp(v.handle(), x); };
  const auto nothing = [] {};
  const Operation cond =
      Cond(b.Placeholder<bool>("pred", Shape{}), assign, nothing);
  EXPECT_EQ(cond.op(), "If");
  EXPECT_EQ(cond.num_outputs(), 0);
  const Output index = b.Placeholder<int32_t>("index", Shape{});
  const Operation switched =
      Case(index, {assign, nothing}, {.name = "switched"});
  EXPECT_EQ(switched.op(), "Case");
  EXPECT_EQ(Cond(b, b.Const(true), nothing, nothing).op(), "StatelessIf");
  EXPECT_EQ(Case(b, index, {nothing}).op(), "StatelessCase");
  const Operation all = b.Group({{cond, switched}}, "all");
  const Graph graph = Built(b);
  const Node& group = graph.node(all.id());
  EXPECT_THAT(std::vector<NodeId>(group.controls.begin(), group.controls.end()),
              UnorderedElementsAre(cond.id(), switched.id()));
  EXPECT_THAT(Ops(Find(graph, "cond_then")), ElementsAre("AssignVariableOp"));
}

TEST(ControlFlowTest, BranchesShareTheOutputsThatTheirGradientsNeed) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2});
  const auto chain = [&](int length) {
    return [&x, length] {
      Output y = x;
      for (int i = 0; i < length; ++i) y = op::Tanh(y);
      return Outputs{y};
    };
  };
  const auto column = [&] {
    const Output y = op::Reshape(x, Tensor::Vector<int32_t>({2, 1}));
    return Outputs{op::Reshape(op::Tanh(op::Tanh(y)), op::Shape(x))};
  };
  const Output y = Case(b.Placeholder<int32_t>("index", Shape{}),
                        {chain(5), chain(2), chain(5), column})[0];
  const Output ys[] = {y};
  const Output xs[] = {x};
  EXPECT_FALSE(Gradients(ys, xs)[0].IsNone());
  ASSERT_EQ(b.status(), absl::OkStatus());
  // One output is the result of the Case. The gradients need the other six
  // outputs: four of shape [2] and two of shape [2, 1].
  EXPECT_EQ(y.operation().num_outputs(), 7);
  const Graph graph = Built(b);
  const auto unused = [&](const std::string& name) {
    const std::vector<std::string> ops = Ops(Find(graph, name));
    return std::count(ops.begin(), ops.end(), "FakeParam");
  };
  // In each branch, all unused outputs of one shape share a FakeParam.
  EXPECT_EQ(unused("case_branch0"), 1);
  EXPECT_EQ(unused("case_branch1"), 2);
  EXPECT_EQ(unused("case_branch3"), 1);
}

TEST(ControlFlowTest, BodiesDrawDifferentNumbers) {
  GraphBuilder b;
  b.SetSeed(3);
  std::vector<std::pair<int64_t, int64_t>> seeds;
  const Output x = b.Placeholder<float>("x", Shape{});
  const auto branch = [&] {
    seeds.push_back(b.OpSeeds());
    return Outputs{op::Neg(x)};
  };
  Cond(b.Const(true), branch, branch);
  EXPECT_NE(seeds[0], seeds[1]);
}

}  // namespace
}  // namespace leat::control_flow_test
