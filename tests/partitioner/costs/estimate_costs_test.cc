// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/estimate_costs.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/internal_node.h"

namespace leat::estimate_costs_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr DeviceRates kRates = {.flops_per_second = {1e9, 2e9, 1e9, 4e9},
                                .bytes_per_second = 1e9,
                                .seconds_per_op = 1e-6};

// Has measured what the tests put into it.
class FakeMeasurements final : public MeasuredCosts {
 public:
  std::optional<double> Seconds(
      absl::string_view device_kind, const NodeDef& node,
      absl::Span<const TensorSpec> inputs) const override {
    if (device_kind != "core" || node.op->name != op) return std::nullopt;
    num_inputs = inputs.size();
    return seconds;
  }
  std::optional<double> RunsPerStep(absl::string_view node) const override {
    if (node != name) return std::nullopt;
    return 2.5;
  }

  std::string op = {};
  std::string name = {};
  double seconds = 0;
  mutable size_t num_inputs = 0;
};

class EstimateCostsTest : public ::testing::Test {
 protected:
  NodeCost CostOf(const Output& output, const CostedDevice& device,
                  const MeasuredCosts* measured = nullptr) {
    auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    const auto shapes = InferShapes(*graph);
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    const NodeId id = graph->Find(output.operation().name());
    return EstimateCosts(*graph, *shapes, device, measured)[id];
  }
  static CostedDevice Core(int cores = 1) {
    return {.kind = "core", .rates = kRates, .cores = cores};
  }
  Output Filled(const Shape& shape) {
    return b.Const(Tensor::Filled<float>(shape, 1));
  }

  GraphBuilder b;
};

TEST_F(EstimateCostsTest, AProductTakesItsFlops) {
  const Output x = Filled({100, 200});
  const Output y = op::MatMul(x, Filled({200, 50}));
  const NodeCost cost = CostOf(y, Core());
  EXPECT_THAT(cost.seconds, DoubleEq(2.0 * 100 * 200 * 50 / 2e9 + 1e-6));
  EXPECT_EQ(cost.cores, 1);
  EXPECT_EQ(cost.origin, CostOrigin::kCalibrated);
  EXPECT_THAT(cost.output_bytes, ElementsAre(100 * 50 * 4));
  EXPECT_EQ(cost.moved_bytes, 100 * 200 * 4);
  EXPECT_FALSE(cost.runs_per_step.has_value());
}

TEST_F(EstimateCostsTest, AnElementWiseOpTakesItsBytes) {
  const NodeCost cost = CostOf(op::Neg(Filled({1000})), Core());
  EXPECT_THAT(cost.seconds, DoubleEq(8000 / 1e9 + 1e-6));
}

TEST_F(EstimateCostsTest, LongNodesUseSeveralCores) {
  const Output y = op::Neg(Filled({100'000}));  // 0.8 ms on one core
  const NodeCost four = CostOf(y, Core(4));
  EXPECT_EQ(four.cores, 4);
  EXPECT_THAT(four.seconds, DoubleEq(8e-4 / 4 + 1e-6));
  EXPECT_EQ(CostOf(y, Core(1000)).cores, 50) << "16 us each";
  EXPECT_EQ(CostOf(op::Neg(Filled({1000})), Core(4)).cores, 1);
}

TEST_F(EstimateCostsTest, WhatPassesOnTensorsTakesTheTimeOfAnOp) {
  const Output x = Filled({100'000});
  for (const Output& y :
       {op::Identity(x), op::Reshape(x, Tensor::Vector<int32_t>({-1}))}) {
    const NodeCost cost = CostOf(y, Core());
    EXPECT_EQ(cost.seconds, 1e-6);
    EXPECT_THAT(cost.output_bytes, ElementsAre(0)) << "shares the bytes of x";
    EXPECT_EQ(cost.moved_bytes, 400'000);
  }
}

TEST_F(EstimateCostsTest, WhatNeedsNothingOfAGpuHasTheRatesOfItsHost) {
  CostedDevice gpu{.type = kGpu, .rates = kRates, .host_rates = kRates};
  gpu.rates->seconds_per_op = 1;
  gpu.host_rates->seconds_per_op = 2;
  const Output x = Filled({100});
  EXPECT_EQ(CostOf(op::Identity(x), gpu).seconds, 2);
  EXPECT_NEAR(CostOf(op::Neg(x), gpu).seconds, 1, 1e-3);
}

TEST_F(EstimateCostsTest, VariablesAndConstantsAreKept) {
  const NodeCost constant = CostOf(Filled({10}), Core());
  EXPECT_EQ(constant.kept_bytes, 40);
  EXPECT_THAT(constant.output_bytes, ElementsAre(0));
  const Output handle =
      op::VarHandleOp(b, DType::kDouble, PartialShape({3, 5}));
  const NodeCost variable = CostOf(handle, Core());
  EXPECT_EQ(variable.kept_bytes, 120);
  EXPECT_THAT(variable.output_bytes, ElementsAre(0));
}

TEST_F(EstimateCostsTest, UnknownShapesAndRatesMakeAGuess) {
  const Output x = b.Placeholder<float>("x", PartialShape({-1, 4}));
  const Output y = op::Neg(x);
  EXPECT_EQ(CostOf(y, Core()).origin, CostOrigin::kGuessed);
  const Output z = op::Neg(Filled({4}));
  EXPECT_EQ(CostOf(z, Core()).origin, CostOrigin::kCalibrated);
  const NodeCost cost = CostOf(z, {.kind = "core"});
  EXPECT_EQ(cost.origin, CostOrigin::kGuessed);
  EXPECT_GE(cost.seconds, AssumedRates(kCpu).seconds_per_op);
}

TEST_F(EstimateCostsTest, WhatWasMeasuredCounts) {
  const Output x = Filled({100, 100});
  const Output y = op::MatMul(x, x);
  FakeMeasurements measured;
  measured.op = "MatMul";
  measured.name = y.operation().name();
  measured.seconds = 0.25;
  const NodeCost cost = CostOf(y, Core(), &measured);
  EXPECT_EQ(cost.origin, CostOrigin::kMeasured);
  EXPECT_EQ(cost.seconds, 0.25);
  EXPECT_EQ(cost.runs_per_step, 2.5);
  EXPECT_EQ(measured.num_inputs, 2u);
  EXPECT_EQ(CostOf(y, {.kind = "other", .rates = kRates}, &measured).origin,
            CostOrigin::kCalibrated);
  measured.seconds = 1e300;
  EXPECT_EQ(CostOf(y, Core(), &measured).seconds, kMaxNodeSeconds);
}

// Another plan may have given the name to another edge.
TEST_F(EstimateCostsTest, NodesBetweenDevicesHaveNoMeasuredRuns) {
  FakeMeasurements measured;
  measured.name = "x/recv_S3";
  const AttrMap attrs = {{"T", DType::kFloat},
                         {"tensor_type", DType::kFloat},
                         {"tensor_name", std::string("edge_3_x")},
                         {"send_device", std::string("/cpu:0")},
                         {"send_device_incarnation", int64_t{1}},
                         {"recv_device", std::string("/cpu:1")}};
  for (const char* const op :
       {"_Send", "_Recv", "_CopyToHost", "_CopyToDevice", "NoOp"}) {
    Graph graph(BuiltinOps());
    const auto id =
        AddInternalNode(op, {.name = measured.name, .attrs = attrs}, 0, graph);
    ASSERT_TRUE(id.ok()) << id.status();
    const std::vector<std::vector<InferredOutput>> shapes(graph.num_ids());
    const NodeCost cost = EstimateCosts(graph, shapes, Core(), &measured)[*id];
    EXPECT_EQ(cost.runs_per_step.has_value(), op == std::string("NoOp")) << op;
  }
}

TEST_F(EstimateCostsTest, WhatWasMeasuredDoesNotCountForAssumedShapes) {
  const Output x = b.Placeholder<float>("x");
  const Output y = op::Tanh(x);
  FakeMeasurements measured;
  measured.op = "Tanh";
  measured.seconds = 0.25;
  EXPECT_EQ(CostOf(y, Core(), &measured).origin, CostOrigin::kGuessed);
}

TEST(DeviceRatesTest, KnowTheClassOfEachType) {
  EXPECT_EQ(NumberClassOf(DType::kBfloat16), NumberClass::kHalf);
  EXPECT_EQ(NumberClassOf(DType::kComplex64), NumberClass::kFloat);
  EXPECT_EQ(NumberClassOf(DType::kDouble), NumberClass::kDouble);
  EXPECT_EQ(NumberClassOf(DType::kInt64), NumberClass::kInteger);
  EXPECT_EQ(NumberClassOf(DType::kString), NumberClass::kInteger);
}

}  // namespace
}  // namespace leat::estimate_costs_test
