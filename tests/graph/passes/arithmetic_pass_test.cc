// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <string>

#include "leat/tests/graph/optimizer/passes_testing.h"

namespace leat::testing::arithmetic_pass_test {
namespace {

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
    // This Reshape fails unless there are four rows.
    Add(*b, "Reshape", "checks", {x, four});
    const Output line = Add(*b, "Reshape", "line", {x, flat});
    // This Reshape fails unless the number of elements is a multiple of five.
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

}  // namespace
}  // namespace leat::testing::arithmetic_pass_test
