// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/pass.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder.h"
#include "leat/graph/constant_evaluator.h"
#include "leat/graph/equal.h"
#include "leat/protos/config.pb.h"

namespace leat {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kTask[] = "/job:localhost/replica:0/task:0";

// AddV2 of float scalars and Fill, without kernels.
class FewOpsEvaluator final : public ConstantEvaluator {
 public:
  absl::StatusOr<std::vector<Tensor>> Evaluate(const NodeDef& node,
                                               absl::Span<const Tensor> inputs,
                                               int64_t max_bytes) override {
    names.push_back(node.name);
    if (node.op->name == "AddV2") {
      return std::vector<Tensor>{Tensor::Scalar(inputs[0].scalar<float>() +
                                                inputs[1].scalar<float>())};
    }
    if (node.op->name == "Fill") {
      const int32_t count = inputs[0].data<int32_t>()[0];
      if (count * 4 > max_bytes) return absl::ResourceExhaustedError("size");
      return std::vector<Tensor>{
          Tensor::Filled(Shape{count}, inputs[1].scalar<float>())};
    }
    return absl::UnimplementedError(node.op->name);
  }
  std::vector<std::string> names;
};

Output Add(GraphBuilder& b, absl::string_view op, const std::string& name,
           std::vector<OpInput> inputs, AttrMap attrs = {},
           const std::vector<Output>& after = {}) {
  std::vector<Operation> operations;
  for (const Output& output : after) operations.push_back(output.operation());
  auto scope = b.ControlDependencies(operations);
  return b
      .AddOp({.op = op,
              .inputs = std::move(inputs),
              .attrs = std::move(attrs),
              .name = name})
      .output(0);
}

Output Feed(GraphBuilder& b, const std::string& name,
            DType type = DType::kFloat, const PartialShape& shape = {}) {
  return b.Placeholder(type, name, shape);
}

Output Const(GraphBuilder& b, const std::string& name, Tensor value,
             const std::vector<Output>& after = {}) {
  AttrMap attrs;
  attrs.Set("dtype", value.dtype());
  attrs.Set("value", std::move(value));
  return Add(b, "Const", name, {}, std::move(attrs), after);
}

// What a pass makes of `given`; the tests say what it should be.
class PassesTest : public ::testing::Test {
 protected:
  // A node goes where it asks to; /cpu:0 if it does not.
  static Graph Placed(GraphBuilder& builder) {
    auto graph = builder.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return Graph(BuiltinOps());
    int devices[2];
    for (int i = 0; i < 2; ++i) {
      devices[i] = graph->InternDevice(absl::StrCat(kTask, "/device:CPU:", i));
    }
    for (const NodeId id : graph->NodeIds()) {
      Node& node = graph->mutable_node(id);
      const bool second =
          absl::EndsWith(absl::AsciiStrToLower(node.def->device), "cpu:1");
      node.device = devices[second ? 1 : 0];
    }
    return *std::move(graph);
  }

  // How what the passes make of `given` differs from `expected`.
  std::string Difference(const std::vector<std::string>& passes) {
    Graph graph = Placed(given);
    PassRegistry registry;
    for (const Pass& pass : BuiltinPasses().passes()) {
      for (const std::string& name : passes) {
        if (pass.name == name) registry.Add(pass);
      }
    }
    EXPECT_EQ(registry.passes().size(), passes.size());
    for (int i = 0; i < 2; ++i) {
      devices.push_back(
          {.name = absl::StrCat(kTask, "/device:CPU:", i), .type = "CPU"});
    }
    options.devices = devices;
    options.evaluator = &evaluator;
    for (const std::string& name : keep) {
      options.keep.push_back(graph.Find(name));
    }
    const absl::Status status = RunPasses(graph, registry, options);
    EXPECT_TRUE(status.ok()) << status;
    return leat::Difference(graph, Placed(expected), {.annotations = false});
  }
  std::string Difference(const std::string& pass) {
    return Difference(std::vector<std::string>{pass});
  }

  GraphBuilder given;
  GraphBuilder expected;
  std::vector<std::string> keep;
  std::vector<DeviceInfo> devices;
  RunPassesOptions options;
  FewOpsEvaluator evaluator;
};

// ---------------------------------------------------------------------------
using ArithmeticTest = PassesTest;

TEST_F(ArithmeticTest, ReplacesOpsOnNeutralElements) {
  for (GraphBuilder* b : {&given, &expected}) {
    const bool before = b == &given;
    const Output x = Feed(*b, "x");
    const Output i = Feed(*b, "i", DType::kInt32);
    const Output one = Const(*b, "one", Tensor::Scalar(1.0f));
    const Output zero = Const(*b, "zero", Tensor::Scalar(0.0f));
    const Output izero = Const(*b, "izero", Tensor::Scalar<int32_t>(0));
    const auto pick = [&](absl::string_view op, const std::string& name,
                          Output a, Output c, Output same) {
      if (before) {
        Add(*b, op, name, {a, c});
      } else {
        Add(*b, "Identity", name, {same});
      }
    };
    pick("Mul", "a", x, one, x);
    pick("Mul", "b", one, x, x);
    pick("RealDiv", "c", x, one, x);
    pick("Sub", "d", x, zero, x);
    pick("AddV2", "e", i, izero, i);
    pick("Sub", "f", i, izero, i);
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

TEST_F(ArithmeticTest, KeepsWhatChangesTheSignOfZeroOrTheOrder) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    const Output zero = Const(*b, "zero", Tensor::Scalar(0.0f));
    const Output minus = Const(*b, "minus", Tensor::Scalar(-0.0f));
    const Output one = Const(*b, "one", Tensor::Scalar(1.0f));
    Add(*b, "AddV2", "a", {x, zero});  // -0 + 0 is 0
    Add(*b, "Sub", "b", {x, minus});   // -0 - -0 is 0
    Add(*b, "Sub", "c", {zero, x});
    Add(*b, "RealDiv", "d", {one, x});
    Add(*b, "Mul", "e", {x, zero});  // NaN * 0 is NaN
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

TEST_F(ArithmeticTest, MinusZeroIsNeutralToFloats) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    const Output minus = Const(*b, "minus", Tensor::Scalar(-0.0f));
    if (b == &given) {
      Add(*b, "AddV2", "y", {x, minus});
    } else {
      Add(*b, "Identity", "y", {x});
    }
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

TEST_F(ArithmeticTest, KeepsWhatMayBroadcast) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output unknown = Feed(*b, "unknown");
    const Output column = Feed(*b, "column", DType::kFloat, {2, 1});
    const Output matrix = Feed(*b, "matrix", DType::kFloat, {-1, 3});
    const Output ones = Const(*b, "ones", Tensor::Filled(Shape{3}, 1.0f));
    Add(*b, "Mul", "a", {unknown, ones});
    Add(*b, "Mul", "b", {column, ones});
    if (b == &given) {
      Add(*b, "Mul", "c", {matrix, ones});
    } else {
      Add(*b, "Identity", "c", {matrix});
    }
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

TEST_F(ArithmeticTest, IdentityWaitsForWhatTheSkippedNodesWaitedFor) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    const Output p = Feed(*b, "p");
    const Output q = Feed(*b, "q");
    const Output inner = Add(*b, "Neg", "inner", {x}, {}, {p});
    const Output one = Const(*b, "one", Tensor::Scalar(1.0f), {q});
    if (b == &given) {
      Add(*b, "Neg", "outer", {inner});
      Add(*b, "Mul", "product", {x, one}, {}, {p});
    } else {
      Add(*b, "Identity", "outer", {x}, {}, {p});
      Add(*b, "Identity", "product", {x}, {}, {p, q});
    }
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

TEST_F(ArithmeticTest, TransposesThatUndoEachOtherNeedAKnownRank) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x", DType::kFloat, {2, -1, 4});
    const Output unknown = Feed(*b, "unknown");
    const Output left = Const(*b, "left", Tensor::Vector<int32_t>({1, 2, 0}));
    const Output right = Const(*b, "right", Tensor::Vector<int32_t>({2, 0, 1}));
    const Output none = Const(*b, "none", Tensor::Vector<int32_t>({0, 1, 2}));
    const Output turned = Add(*b, "Transpose", "turned", {x, left});
    Add(*b, "Transpose", "twice", {turned, left});
    Add(*b, "Transpose", "maybe", {unknown, none});
    if (b == &given) {
      Add(*b, "Transpose", "back", {turned, right});
      Add(*b, "Transpose", "same", {x, none});
    } else {
      Add(*b, "Identity", "back", {x});
      Add(*b, "Identity", "same", {x});
    }
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

TEST_F(ArithmeticTest, ReshapesOnlyWhereTheShapeMayChange) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x", DType::kFloat, {-1, 3});
    const Output rows = Const(*b, "rows", Tensor::Vector<int32_t>({-1, 3}));
    const Output four = Const(*b, "four", Tensor::Vector<int32_t>({4, 3}));
    const Output flat = Const(*b, "flat", Tensor::Vector<int32_t>({-1}));
    const Output fives = Const(*b, "fives", Tensor::Vector<int32_t>({-1, 5}));
    // Fails unless there are four rows.
    Add(*b, "Reshape", "checks", {x, four});
    const Output line = Add(*b, "Reshape", "line", {x, flat});
    // Fails unless the rows are a multiple of five.
    const Output narrow = Add(*b, "Reshape", "narrow", {x, fives});
    Add(*b, "Reshape", "wide", {narrow, rows});
    if (b == &given) {
      Add(*b, "Reshape", "same", {x, rows});
      Add(*b, "Reshape", "back", {line, rows});
    } else {
      Add(*b, "Identity", "same", {x});
      Add(*b, "Identity", "back", {x});
    }
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

TEST_F(ArithmeticTest, CastsOnlyToAnotherType) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    Add(*b, "Cast", "other", {x},
        {{"SrcT", DType::kFloat}, {"DstT", DType::kInt32}});
    if (b == &given) {
      Add(*b, "Cast", "same", {x},
          {{"SrcT", DType::kFloat}, {"DstT", DType::kFloat}});
    } else {
      Add(*b, "Identity", "same", {x});
    }
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

TEST_F(ArithmeticTest, AVariableIsReadWhenTheNodeRuns) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output v =
        Add(*b, "VariableV2", "v", {},
            {{"shape", PartialShape(Shape{})}, {"dtype", DType::kFloat}});
    const Output one = Const(*b, "one", Tensor::Scalar(1.0f));
    Add(*b, "Mul", "y", {v, one});
    const Output inner = Add(*b, "Neg", "inner", {v});
    Add(*b, "Neg", "outer", {inner});
  }
  EXPECT_EQ(Difference("arithmetic"), "");
}

// ---------------------------------------------------------------------------
using IdentityRemovalTest = PassesTest;

TEST_F(IdentityRemovalTest, JoinsDataAndControlEdges) {
  keep = {"kept"};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    Output y = x;
    if (b == &given) {
      y = Add(*b, "Identity", "a", {x});
      y = Add(*b, "StopGradient", "b", {y});
    }
    Add(*b, "Identity", "kept", {y});
    Add(*b, "Neg", "neg", {y}, {}, {y});
  }
  EXPECT_EQ(Difference("identity_removal"), "");
}

TEST_F(IdentityRemovalTest, KeepsWhatControlEdgesOfABranchComeFrom) {
  keep = {"result"};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    const Output pred = Feed(*b, "pred", DType::kBool);
    const Output branch = Add(*b, "Switch", "switch", {x, pred});
    const Output pivot = Add(*b, "Identity", "pivot", {branch});
    const Output one = Const(*b, "one", Tensor::Scalar(1.0f), {pivot});
    const Output side = Add(*b, "Identity", "side", {x}, {}, {pivot});
    const Output end = Add(*b, "Identity", "end", {one});
    const std::vector<Output> ends = {side, end};
    const Output merged =
        Add(*b, "Merge", "merge", {absl::MakeConstSpan(ends)});
    // What comes from a Merge is not dead by itself.
    Output y = merged;
    if (b == &given) y = Add(*b, "Identity", "behind", {merged});
    Add(*b, "Neg", "result", {y});
    const Output waited = Add(*b, "Identity", "waited", {merged});
    Add(*b, "Neg", "waits", {x}, {}, {waited});
  }
  EXPECT_EQ(Difference("identity_removal"), "");
}

TEST_F(IdentityRemovalTest, KeepsReadsOfVariablesAndCopiesToOtherDevices) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output v =
        Add(*b, "VariableV2", "v", {},
            {{"shape", PartialShape(Shape{})}, {"dtype", DType::kFloat}});
    const Output read = Add(*b, "Identity", "read", {v});
    Output copy;
    {
      auto scope = b->OnDevice("/cpu:1");
      copy = Add(*b, "Identity", "copy", {read});
    }
    Add(*b, "Neg", "y", {copy});
  }
  EXPECT_EQ(Difference("identity_removal"), "");
}

TEST_F(IdentityRemovalTest, AnIdentityNWaitsForAllItsInputs) {
  for (GraphBuilder* b : {&given, &expected}) {
    const auto feed = [&](const std::string& name, int64_t index) {
      return Add(*b, "_Arg", name, {},
                 {{"T", DType::kFloat}, {"index", index}});
    };
    const Output x = feed("x", 0), y = feed("y", 1);
    const Output p = Feed(*b, "p");  // may be anything
    const auto both = [&](const std::string& name, Output c, Output d) {
      const std::vector<Output> list = {c, d};
      return b->AddOp({.op = "IdentityN",
                       .inputs = {absl::MakeConstSpan(list)},
                       .name = name});
    };
    Output second = y;
    if (b == &given) second = both("gone", x, y).output(1);
    Add(*b, "Neg", "a", {second});
    Add(*b, "Neg", "c", {both("stays", p, y).output(1)});
  }
  EXPECT_EQ(Difference("identity_removal"), "");
}

// ---------------------------------------------------------------------------
using ConstantFoldingTest = PassesTest;

TEST_F(ConstantFoldingTest, TheConstantIsWhereAndWhenTheNodeWas) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output p = Feed(*b, "p");
    const Output q = Feed(*b, "q");
    auto scope = b->OnDevice("/cpu:1");
    const Output one = Const(*b, "one", Tensor::Scalar(1.0f), {p});
    const Output two = Const(*b, "two", Tensor::Scalar(2.0f));
    if (b == &given) {
      const Output three = Add(*b, "AddV2", "three", {one, two}, {}, {q});
      Add(*b, "AddV2", "five", {two, three});
    } else {
      Const(*b, "three", Tensor::Scalar(3.0f), {p, q});
      Const(*b, "five", Tensor::Scalar(5.0f), {p, q});
    }
  }
  EXPECT_EQ(Difference("constant_folding"), "");
}

TEST_F(ConstantFoldingTest, WhatCannotBeEvaluatedStays) {
  options.optimizer.max_folded_bytes = 100;
  for (GraphBuilder* b : {&given, &expected}) {
    const Output one = Const(*b, "one", Tensor::Scalar(1.0f));
    const Output few = Const(*b, "few", Tensor::Vector<int32_t>({25}));
    const Output many = Const(*b, "many", Tensor::Vector<int32_t>({26}));
    Add(*b, "Square", "no_kernel", {one});
    Add(*b, "Fill", "large", {many, one});
    Add(*b, "RandomUniform", "stateful", {few}, {{"dtype", DType::kFloat}});
    Add(*b, "CheckNumerics", "effect", {one}, {{"message", std::string()}});
    Add(*b, "AddV2", "fed", {Feed(*b, "x"), one});
    if (b == &given) {
      Add(*b, "Fill", "small", {few, one});
    } else {
      Const(*b, "small", Tensor::Filled(Shape{25}, 1.0f));
    }
  }
  EXPECT_EQ(Difference("constant_folding"), "");
  EXPECT_THAT(evaluator.names, ::testing::Not(::testing::Contains("stateful")));
  EXPECT_THAT(evaluator.names, ::testing::Not(::testing::Contains("effect")));
}

TEST_F(ConstantFoldingTest, TheConstantsOfAStepAreBoundedTogether) {
  options.optimizer.max_folded_bytes = 100;
  const Output one = Const(given, "one", Tensor::Scalar(1.0f));
  const Output count = Const(given, "count", Tensor::Vector<int32_t>({25}));
  constexpr int kFills = 3 * OptimizerOptions::kMaxFoldedConstants;
  for (int i = 0; i < kFills; ++i) {
    Add(given, "Fill", absl::StrCat("fill", i), {count, one});
  }
  Graph graph = Placed(given);
  devices = {{.name = absl::StrCat(kTask, "/device:CPU:0"), .type = "CPU"}};
  options.devices = devices;
  options.evaluator = &evaluator;
  PassRegistry registry;
  for (const Pass& pass : BuiltinPasses().passes()) {
    if (pass.name == "constant_folding") registry.Add(pass);
  }
  ASSERT_TRUE(RunPasses(graph, registry, options).ok());
  int fills = 0;
  for (const NodeId id : graph.NodeIds())
    fills += graph.node(id).op() == "Fill";
  EXPECT_EQ(fills, kFills - OptimizerOptions::kMaxFoldedConstants);
}

TEST_F(ConstantFoldingTest, AShapeIsKnownOfWhatAlwaysRuns) {
  for (GraphBuilder* b : {&given, &expected}) {
    const std::vector<PartialShape> shapes = {{2, 3}};
    const Output x = Add(*b, "_Arg", "x", {},
                         {{"T", DType::kFloat},
                          {"index", int64_t{0}},
                          {"_output_shapes", shapes}});
    const Output p = Feed(*b, "p");
    const Output y = Add(*b, "Neg", "y", {x});
    const Output late = Add(*b, "Neg", "late", {x}, {}, {p});
    Add(*b, "Shape", "late_shape", {late});
    if (b == &given) {
      Add(*b, "Shape", "shape", {y});
      Add(*b, "Rank", "rank", {y});
      Add(*b, "Size", "size", {y});
    } else {
      Const(*b, "shape", Tensor::Vector<int32_t>({2, 3}));
      Const(*b, "rank", Tensor::Scalar<int32_t>(2));
      Const(*b, "size", Tensor::Scalar<int32_t>(6));
    }
  }
  EXPECT_EQ(Difference("constant_folding"), "");
}

// ---------------------------------------------------------------------------
using CseTest = PassesTest;

TEST_F(CseTest, EqualNodesBecomeTheFirst) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    const Output c = Const(*b, "c", Tensor::Scalar(nan));
    const Output first = Add(*b, "AddV2", "first", {x, c});
    Output second = first;
    if (b == &given) {
      const Output d = Const(*b, "d", Tensor::Scalar(nan));
      second = Add(*b, "AddV2", "second", {x, d});
    }
    Add(*b, "Mul", "y", {first, second}, {}, {second});
  }
  keep = {"y"};
  EXPECT_EQ(Difference("cse"), "");
}

TEST_F(CseTest, KeepsNodesThatDiffer) {
  keep = {"kept"};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    const Output p = Feed(*b, "p");
    Add(*b, "Neg", "plain", {x});
    Add(*b, "Neg", "kept", {x});
    Add(*b, "Neg", "waits", {x}, {}, {p});
    {
      auto scope = b->OnDevice("/cpu:1");
      Add(*b, "Neg", "elsewhere", {x});
    }
    Add(*b, "AddV2", "ab", {x, p});
    Add(*b, "AddV2", "ba", {p, x});
    const Output shape = Const(*b, "shape", Tensor::Vector<int32_t>({1}));
    Const(*b, "minus", Tensor::Scalar(-0.0f));
    Const(*b, "zero", Tensor::Scalar(0.0f));
    Add(*b, "RandomUniform", "r1", {shape}, {{"dtype", DType::kFloat}});
    Add(*b, "RandomUniform", "r2", {shape}, {{"dtype", DType::kFloat}});
    Add(*b, "Shape", "s32", {x}, {{"out_type", DType::kInt32}});
    Add(*b, "Shape", "s64", {x}, {{"out_type", DType::kInt64}});
  }
  EXPECT_EQ(Difference("cse"), "");
}

TEST_F(CseTest, StringsAreComparedWithAllOfTheirSize) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Const(*b, "x", Tensor::Scalar<std::string>("x"));
    const Output y = Const(*b, "y", Tensor::Scalar<std::string>("y"));
    Output z = y;
    if (b == &given) z = Const(*b, "z", Tensor::Scalar<std::string>("y"));
    const std::vector<Output> all = {x, y, z};
    Add(*b, "Pack", "pack", {absl::MakeConstSpan(all)});
  }
  EXPECT_EQ(Difference("cse"), "");
}

// ---------------------------------------------------------------------------
using DeadNodesTest = PassesTest;

TEST_F(DeadNodesTest, DropsWhatNobodyObserves) {
  keep = {"y", "init"};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    const Output c = Const(*b, "c", Tensor::Scalar(1.0f));
    const Output waited = Add(*b, "Neg", "waited", {x});
    Add(*b, "CheckNumerics", "effect", {c}, {{"message", std::string()}});
    if (b == &given) {
      const Output d = Add(*b, "Neg", "d", {x});
      Add(*b, "AddV2", "e", {d, c});
    }
    Add(*b, "Neg", "y", {x}, {}, {waited});
  }
  EXPECT_EQ(Difference("dead_nodes"), "");
}

// ---------------------------------------------------------------------------
class FusionTest : public PassesTest {
 protected:
  static AttrMap ConvAttrs(const std::string& format) {
    return {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
            {"padding", std::string("SAME")},
            {"data_format", format}};
  }
};

TEST_F(FusionTest, JoinsProductBiasAndActivation) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), w = Feed(*b, "w"), c = Feed(*b, "c");
    const Output p = Feed(*b, "p");
    if (b == &given) {
      const Output product =
          Add(*b, "MatMul", "product", {x, w}, {{"transpose_b", true}}, {p});
      const Output biased = Add(*b, "BiasAdd", "biased", {product, c});
      const Output y = Add(*b, "Relu", "y", {biased});
      Add(*b, "ReluGrad", "z", {y, y});
      continue;
    }
    const std::vector<Output> args = {c};
    const Output y =
        Add(*b, "_FusedMatMul", "y", {x, w, absl::MakeConstSpan(args)},
            {{"transpose_b", true},
             {"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}}},
            {p});
    Add(*b, "ReluGrad", "z", {y, y});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, JoinsConvolutionsOfEitherFormat) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), f = Feed(*b, "f"), c = Feed(*b, "c");
    for (const std::string format : {"NHWC", "NCHW"}) {
      if (b == &given) {
        const Output product =
            Add(*b, "Conv2D", "conv" + format, {x, f}, ConvAttrs(format));
        Add(*b, "BiasAdd", "y" + format, {product, c},
            {{"data_format", format}});
        continue;
      }
      AttrMap attrs = ConvAttrs(format);
      attrs.Set("num_args", int64_t{1});
      attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd"});
      const std::vector<Output> args = {c}, none;
      Add(*b, "_FusedConv2D", "y" + format,
          {x, f, absl::MakeConstSpan(args), absl::MakeConstSpan(none)}, attrs);
    }
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, JoinsTheGradientsOfReluAndMaxPool) {
  const AttrMap pool = {{"ksize", std::vector<int64_t>{1, 2, 2, 1}},
                        {"strides", std::vector<int64_t>{1, 2, 2, 1}},
                        {"padding", std::string("VALID")}};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), y = Feed(*b, "y"), g = Feed(*b, "g");
    if (b == &given) {
      const Output grad = Add(*b, "MaxPoolGrad", "grad", {x, y, g}, pool);
      Add(*b, "ReluGrad", "z", {grad, x});
    } else {
      Add(*b, "_LeatMaxPoolReluGrad", "z", {x, y, g}, pool);
    }
    // Windows that overlap.
    AttrMap closer = pool;
    closer.Set("strides", std::vector<int64_t>{1, 1, 2, 1});
    const Output sums = Add(*b, "MaxPoolGrad", "sums", {x, y, g}, closer);
    Add(*b, "ReluGrad", "of_sums", {sums, x});
    // The Relu of something else.
    const Output other = Add(*b, "MaxPoolGrad", "other", {x, y, g}, pool);
    Add(*b, "ReluGrad", "kept", {other, y});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, KeepsWhatOthersSee) {
  keep = {"asked_for"};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), w = Feed(*b, "w"), c = Feed(*b, "c");
    const Output used = Add(*b, "MatMul", "used", {x, w});
    Add(*b, "BiasAdd", "a", {used, c});
    Add(*b, "Neg", "b", {used});
    const Output waited = Add(*b, "MatMul", "waited", {x, w});
    Add(*b, "BiasAdd", "d", {waited, c});
    Add(*b, "Neg", "e", {x}, {}, {waited});
    const Output kept = Add(*b, "MatMul", "asked_for", {x, w});
    Add(*b, "BiasAdd", "f", {kept, c});
    const Output far = Add(*b, "MatMul", "far", {x, w});
    auto scope = b->OnDevice("/cpu:1");
    Add(*b, "BiasAdd", "g", {far, c});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, KeepsWhatNoKernelDoes) {
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x", DType::kDouble);
    const Output c = Feed(*b, "c", DType::kDouble);
    const Output product = Add(*b, "MatMul", "product", {x, x});
    Add(*b, "BiasAdd", "y", {product, c});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

TEST_F(FusionTest, KeepsTensorFlowsOpsOnForeignTasks) {
  options.foreign_tasks = {kTask};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x"), w = Feed(*b, "w"), c = Feed(*b, "c");
    const Output product = Add(*b, "MatMul", "product", {x, w});
    Add(*b, "BiasAdd", "y", {product, c});
  }
  EXPECT_EQ(Difference("fusion"), "");
}

// ---------------------------------------------------------------------------

TEST_F(PassesTest, OnePassMakesWorkForAnother) {
  keep = {"y", "init"};
  for (GraphBuilder* b : {&given, &expected}) {
    const Output x = Feed(*b, "x");
    if (b == &given) {
      const Output half = Const(*b, "half", Tensor::Scalar(0.5f));
      const Output one = Add(*b, "AddV2", "one", {half, half});
      const Output same = Add(*b, "Mul", "same", {x, one});
      const Output a = Add(*b, "Neg", "a", {same});
      const Output c = Add(*b, "Neg", "c", {x});
      Add(*b, "AddV2", "y", {a, c});
    } else {
      const Output a = Add(*b, "Neg", "a", {x});
      Add(*b, "AddV2", "y", {a, a});
    }
  }
  EXPECT_EQ(Difference({"arithmetic", "constant_folding", "cse", "dead_nodes",
                        "identity_removal", "fusion"}),
            "");
}

TEST_F(PassesTest, RunsWhatTheOptionsAllow) {
  const Output x = Feed(given, "x");
  Add(given, "Identity", "y", {x});
  std::vector<std::string> ran;
  options.after_pass = [&](const Pass& pass, bool, const Graph&) {
    ran.push_back(pass.name);
  };
  Graph graph = Placed(given);
  options.optimizer.disabled_passes = {"cse", "identity_removal"};
  ASSERT_TRUE(RunPasses(graph, BuiltinPasses(), options).ok());
  EXPECT_THAT(ran, ElementsAre("arithmetic", "constant_folding", "dead_nodes",
                               "fusion"));
  ran.clear();
  options.optimizer.level = OptimizeLevel::kOff;
  ASSERT_TRUE(RunPasses(graph, BuiltinPasses(), options).ok());
  EXPECT_THAT(ran, IsEmpty());
}

TEST(OptimizerOptionsTest, FollowTensorFlowsConfig) {
  pb::GraphOptions config;
  EXPECT_EQ(OptimizerOptionsFrom(config).level, OptimizeLevel::kOn);
  EXPECT_EQ(OptimizerOptionsFrom(config).max_folded_bytes, 10 << 20);
  config.mutable_optimizer_options()->set_max_folded_constant_in_bytes(7);
  config.mutable_rewrite_options()->set_remapping(pb::RewriterConfig::OFF);
  config.mutable_rewrite_options()->set_constant_folding(
      pb::RewriterConfig::AGGRESSIVE);
  const OptimizerOptions some = OptimizerOptionsFrom(config);
  EXPECT_EQ(some.max_folded_bytes, 7);
  EXPECT_THAT(some.disabled_passes, ElementsAre("fusion"));
  config.mutable_rewrite_options()->set_disable_meta_optimizer(true);
  EXPECT_EQ(OptimizerOptionsFrom(config).level, OptimizeLevel::kOff);
  config.Clear();
  config.mutable_optimizer_options()->set_opt_level(pb::OptimizerOptions::L0);
  EXPECT_EQ(OptimizerOptionsFrom(config).level, OptimizeLevel::kOff);
}

TEST(OptimizerOptionsTest, TogglesNamePassesThatExist) {
  pb::GraphOptions config;
  pb::RewriterConfig& toggles = *config.mutable_rewrite_options();
  toggles.set_constant_folding(pb::RewriterConfig::OFF);
  toggles.set_remapping(pb::RewriterConfig::OFF);
  toggles.set_common_subgraph_elimination(pb::RewriterConfig::OFF);
  toggles.set_arithmetic_optimization(pb::RewriterConfig::OFF);
  toggles.set_dependency_optimization(pb::RewriterConfig::OFF);
  toggles.set_disable_model_pruning(true);
  const auto disabled = OptimizerOptionsFrom(config).disabled_passes;
  std::vector<std::string> names;
  for (const Pass& pass : BuiltinPasses().passes()) names.push_back(pass.name);
  EXPECT_THAT(disabled, ::testing::UnorderedElementsAreArray(names));
}

}  // namespace
}  // namespace leat
