// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the limits on how much work constant folding does for one plan.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "leat/tests/graph/optimizer/passes_testing.h"

namespace leat::testing::constant_folding_limits_test {
namespace {

using ::testing::Contains;
using ::testing::Not;

// OptimizerOptions documents this limit.
constexpr int64_t kMaxWork = int64_t{512} << 20;

// Evaluates Fill. Fails for Square, and returns a scalar 0 for every other op.
class CountingEvaluator final : public ConstantEvaluator {
 public:
  absl::StatusOr<std::vector<Tensor>> Evaluate(const NodeDef& node,
                                               absl::Span<const Tensor> inputs,
                                               int64_t max_bytes) override {
    names.push_back(node.name);
    rooms.push_back(max_bytes);
    for (const Tensor& input : inputs) bytes_read += input.num_bytes();
    if (node.op->name == "Square") return absl::InternalError("always");
    if (node.op->name == "Fill") return Filled(inputs, max_bytes);
    return std::vector<Tensor>{Tensor::Scalar(0.0f)};
  }
  std::vector<std::string> names;
  std::vector<int64_t> rooms;
  int64_t bytes_read = 0;
};

class ConstantFoldingLimitsTest : public PassesTest {
 protected:
  Graph Folded() {
    PassRegistry passes = Passes({"constant_folding"});
    // This pass always reports a change, so all rounds run.
    passes.Add({.name = "restless",
                .phase = Phase::kSimplify,
                .run = +[](PassContext&) { return true; }});
    return Optimized(passes, counting);
  }

  CountingEvaluator counting;
};

TEST_F(ConstantFoldingLimitsTest, EvaluatesNothingThatHasNoRoomLeft) {
  options.optimizer.max_folded_bytes = 100;
  const Output one = Const(given, "one", Tensor::Scalar(1.0f));
  // Each result takes 24 bytes. All results together may take 16 * 100 = 1,600
  // bytes. After kFit results, fewer than 24 of these bytes are left.
  const Output count = Const(given, "count", Tensor::Vector<int32_t>({6}));
  constexpr int kFit = 1600 / 24;
  for (int i = 0; i < 4 * kFit; ++i) {
    Add(given, "Fill", absl::StrCat("fill", i), {count, one});
  }
  Folded();
  EXPECT_EQ(*std::max_element(counting.rooms.begin(), counting.rooms.end()),
            100);
  EXPECT_EQ(*std::min_element(counting.rooms.begin(), counting.rooms.end()),
            1600 % 24);
  // The evaluator is also called once for each node that does not fit. The
  // `max_bytes` of that call is too small for the result.
  EXPECT_EQ(counting.names.size(), 4u * kFit);
}

TEST_F(ConstantFoldingLimitsTest, AsksNobodyWhenAllRoomIsTaken) {
  options.optimizer.max_folded_bytes = 100;
  const Output one = Const(given, "one", Tensor::Scalar(1.0f));
  const Output count = Const(given, "count", Tensor::Vector<int32_t>({25}));
  for (int i = 0; i < 100; ++i) {
    Add(given, "Fill", absl::StrCat("fill", i), {count, one});
  }
  Folded();
  EXPECT_EQ(counting.names.size(), 16u);
}

TEST_F(ConstantFoldingLimitsTest, AsksOnceForWhatFails) {
  const Output one = Const(given, "one", Tensor::Scalar(1.0f));
  Add(given, "Square", "square", {one});
  Folded();
  EXPECT_EQ(counting.names, std::vector<std::string>{"square"});
}

TEST_F(ConstantFoldingLimitsTest, ReadsAndWritesABoundedNumberOfBytes) {
  options.optimizer.max_folded_bytes = int64_t{1} << 40;
  const Shape eight_mebibytes = {int64_t{2} << 20};
  const Output large =
      Const(given, "large", Tensor::Filled(eight_mebibytes, 1.0f));
  std::vector<OpInput> inputs = {large, large};
  for (int i = 0; i < 200; ++i) {
    Add(given, "Mul", absl::StrCat("mul", i), inputs);
  }
  const Graph graph = Folded();
  EXPECT_LE(counting.bytes_read, kMaxWork);
  EXPECT_GE(counting.bytes_read, kMaxWork - 2 * (int64_t{8} << 20));
  EXPECT_NE(graph.Find("mul199"), kNoNode);
}

TEST_F(ConstantFoldingLimitsTest, AFailureCountsAsAllThatItMayHaveWritten) {
  options.optimizer.max_folded_bytes = int64_t{64} << 20;
  const Output one = Const(given, "one", Tensor::Scalar(1.0f));
  for (int i = 0; i < 50; ++i) {
    Add(given, "Square", absl::StrCat("square", i), {one});
  }
  Folded();
  EXPECT_LE(counting.names.size(), 8u);
}

TEST_F(ConstantFoldingLimitsTest, LargeExpensiveNodesAreForTheStep) {
  const Output small =
      Const(given, "small", Tensor::Filled(Shape{16, 16}, 1.0f));
  const Output large =
      Const(given, "large", Tensor::Filled(Shape{32, 32}, 1.0f));
  Add(given, "MatMul", "small_product", {small, small});
  Add(given, "MatMul", "large_product", {large, large});
  Add(given, "Mul", "cheap_product", {large, large});
  Folded();
  EXPECT_THAT(counting.names, Contains("small_product"));
  EXPECT_THAT(counting.names, Contains("cheap_product"));
  EXPECT_THAT(counting.names, Not(Contains("large_product")));
}

}  // namespace
}  // namespace leat::testing::constant_folding_limits_test
