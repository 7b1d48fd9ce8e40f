// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "leat/tests/graph/optimizer/passes_testing.h"

namespace leat::testing::identity_removal_pass_test {
namespace {

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
    // If a Merge is dead, all its outputs are dead. (If one output of a Switch
    // is dead, the other may be live.) So the consumers of an Identity after a
    // Merge may read the Merge itself.
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
    // This Placeholder is neither fed nor pure, so the pass does not know
    // whether the node runs in every step. So the pass must keep the IdentityN
    // "stays".
    const Output p = Feed(*b, "p");
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

}  // namespace
}  // namespace leat::testing::identity_removal_pass_test
