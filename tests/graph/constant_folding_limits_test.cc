// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// How much constant folding does for one plan.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder.h"
#include "leat/graph/constant_evaluator.h"
#include "leat/graph/pass.h"

namespace leat {
namespace {

using ::testing::Contains;
using ::testing::Not;

constexpr char kCpu0[] = "/job:localhost/replica:0/task:0/device:CPU:0";

// What OptimizerOptions promises.
constexpr int64_t kMaxWork = int64_t{512} << 20;

// Fill, and zero for every reduction and product; Square always fails.
class CountingEvaluator final : public ConstantEvaluator {
 public:
  absl::StatusOr<std::vector<Tensor>> Evaluate(const NodeDef& node,
                                               absl::Span<const Tensor> inputs,
                                               int64_t max_bytes) override {
    names.push_back(node.name);
    rooms.push_back(max_bytes);
    for (const Tensor& input : inputs) bytes_read += input.num_bytes();
    if (node.op->name == "Square") return absl::InternalError("always");
    if (node.op->name != "Fill") {
      return std::vector<Tensor>{Tensor::Scalar(0.0f)};
    }
    const int32_t count = inputs[0].data<int32_t>()[0];
    if (count * 4 > max_bytes) return absl::ResourceExhaustedError("size");
    return std::vector<Tensor>{
        Tensor::Filled(Shape{count}, inputs[1].scalar<float>())};
  }
  std::vector<std::string> names;
  std::vector<int64_t> rooms;
  int64_t bytes_read = 0;
};

class ConstantFoldingLimitsTest : public ::testing::Test {
 protected:
  Output Add(absl::string_view op, const std::string& name,
             std::vector<OpInput> inputs) {
    return builder.AddOp({.op = op, .inputs = std::move(inputs), .name = name})
        .output(0);
  }

  Graph Optimized() {
    auto graph = builder.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return Graph(BuiltinOps());
    const int device = graph->InternDevice(kCpu0);
    for (const NodeId id : graph->NodeIds()) {
      graph->mutable_node(id).device = device;
    }
    const std::vector<DeviceInfo> devices = {{.name = kCpu0, .type = "CPU"}};
    options.devices = devices;
    options.evaluator = &evaluator;
    PassRegistry registry;
    for (const Pass& pass : BuiltinPasses().passes()) {
      if (pass.name == "constant_folding") registry.Add(pass);
    }
    // Asks for every round there is.
    registry.Add({.name = "restless",
                  .phase = Phase::kSimplify,
                  .run = +[](PassContext&) { return true; }});
    const absl::Status status = RunPasses(*graph, registry, options);
    EXPECT_TRUE(status.ok()) << status;
    options.devices = {};
    return *std::move(graph);
  }

  GraphBuilder builder;
  RunPassesOptions options;
  CountingEvaluator evaluator;
};

TEST_F(ConstantFoldingLimitsTest, EvaluatesNothingThatHasNoRoomLeft) {
  options.optimizer.max_folded_bytes = 100;
  const Output one = builder.Const(Tensor::Scalar(1.0f), "one");
  // 24 bytes each: what is left at the end is too little for one more.
  const Output count = builder.Const(Tensor::Vector<int32_t>({6}), "count");
  constexpr int kFit = 1600 / 24;
  for (int i = 0; i < 4 * kFit; ++i) {
    Add("Fill", absl::StrCat("fill", i), {count, one});
  }
  Optimized();
  EXPECT_EQ(*std::max_element(evaluator.rooms.begin(), evaluator.rooms.end()),
            100);
  EXPECT_EQ(*std::min_element(evaluator.rooms.begin(), evaluator.rooms.end()),
            1600 % 24);
  // The others are asked for once, with too little room to be computed.
  EXPECT_EQ(evaluator.names.size(), 4u * kFit);
}

TEST_F(ConstantFoldingLimitsTest, AsksNobodyWhenAllRoomIsTaken) {
  options.optimizer.max_folded_bytes = 100;
  const Output one = builder.Const(Tensor::Scalar(1.0f), "one");
  const Output count = builder.Const(Tensor::Vector<int32_t>({25}), "count");
  for (int i = 0; i < 100; ++i) {
    Add("Fill", absl::StrCat("fill", i), {count, one});
  }
  Optimized();
  EXPECT_EQ(evaluator.names.size(), 16u);
}

TEST_F(ConstantFoldingLimitsTest, AsksOnceForWhatFails) {
  const Output one = builder.Const(Tensor::Scalar(1.0f), "one");
  Add("Square", "square", {one});
  Optimized();
  EXPECT_EQ(evaluator.names, std::vector<std::string>{"square"});
}

TEST_F(ConstantFoldingLimitsTest, ReadsAndWritesABoundedNumberOfBytes) {
  options.optimizer.max_folded_bytes = int64_t{1} << 40;
  const Output large = builder.Const(
      Tensor::Filled(Shape{int64_t{2} << 20}, 1.0f), "large");  // 8 MiB
  std::vector<OpInput> inputs = {large, large};
  for (int i = 0; i < 200; ++i) Add("Mul", absl::StrCat("mul", i), inputs);
  const Graph graph = Optimized();
  EXPECT_LE(evaluator.bytes_read, kMaxWork);
  EXPECT_GE(evaluator.bytes_read, kMaxWork - 2 * (int64_t{8} << 20));
  EXPECT_NE(graph.Find("mul199"), kNoNode);
}

TEST_F(ConstantFoldingLimitsTest, AFailureCountsAsAllThatItMayHaveWritten) {
  options.optimizer.max_folded_bytes = int64_t{64} << 20;
  const Output one = builder.Const(Tensor::Scalar(1.0f), "one");
  for (int i = 0; i < 50; ++i) Add("Square", absl::StrCat("square", i), {one});
  Optimized();
  EXPECT_LE(evaluator.names.size(), 8u);
}

TEST_F(ConstantFoldingLimitsTest, LargeExpensiveNodesAreForTheStep) {
  const Output small =
      builder.Const(Tensor::Filled(Shape{16, 16}, 1.0f), "small");
  const Output large =
      builder.Const(Tensor::Filled(Shape{32, 32}, 1.0f), "large");
  Add("MatMul", "small_product", {small, small});
  Add("MatMul", "large_product", {large, large});
  Add("Mul", "cheap_product", {large, large});
  Optimized();
  EXPECT_THAT(evaluator.names, Contains("small_product"));
  EXPECT_THAT(evaluator.names, Contains("cheap_product"));
  EXPECT_THAT(evaluator.names, Not(Contains("large_product")));
}

}  // namespace
}  // namespace leat
