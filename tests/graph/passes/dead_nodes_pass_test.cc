// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <string>

#include "leat/tests/graph/optimizer/passes_testing.h"

namespace leat::testing::dead_nodes_pass_test {
namespace {

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

}  // namespace
}  // namespace leat::testing::dead_nodes_pass_test
