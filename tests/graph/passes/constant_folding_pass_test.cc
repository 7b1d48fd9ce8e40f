// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "leat/tests/graph/optimizer/passes_testing.h"

namespace leat::testing::constant_folding_pass_test {
namespace {

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
  const Graph graph = Optimized(Passes({"constant_folding"}), evaluator);
  int fills = 0;
  for (const NodeId id : graph.NodeIds()) {
    fills += graph.node(id).op() == "Fill";
  }
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

}  // namespace
}  // namespace leat::testing::constant_folding_pass_test
