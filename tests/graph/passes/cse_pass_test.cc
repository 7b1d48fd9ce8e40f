// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>
#include <vector>

#include "leat/tests/graph/optimizer/passes_testing.h"

namespace leat::testing::cse_pass_test {
namespace {

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

}  // namespace
}  // namespace leat::testing::cse_pass_test
