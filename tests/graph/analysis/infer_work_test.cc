// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/infer_work.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::infer_work_test {
namespace {

struct Inferred {
  explicit Inferred(GraphBuilder& b, int64_t assumed_extent = 1)
      : Inferred(b.Build().value(), assumed_extent) {}
  explicit Inferred(Graph g, int64_t assumed_extent = 1) : graph(std::move(g)) {
    const auto shapes = InferShapes(graph);
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    if (shapes.ok()) nodes = InferWork(graph, *shapes, assumed_extent);
  }

  const NodeWork& Of(const std::string& name) const {
    return nodes.at(static_cast<size_t>(graph.Find(name)));
  }

  Graph graph;
  std::vector<NodeWork> nodes;
};

Output Convolution(Output x, int64_t filters, int64_t kernel, int64_t stride) {
  const Output filter = x.builder()->Placeholder<float>(
      "filter", {kernel, kernel, x.shape().dim(3), filters});
  return op::Conv2D(x, filter, {1, stride, stride, 1}, "SAME");
}

Output Normalized(Output x) {
  GraphBuilder& b = *x.builder();
  const auto channels = [&] {
    return b.Placeholder<float>("channels", {x.shape().dim(3)});
  };
  return op::FusedBatchNormV3(x, channels(), channels(), channels(), channels())
      .y;
}

Output Block(Output x, int64_t width, int64_t stride, bool is_first) {
  Output shortcut = x;
  if (is_first) shortcut = Normalized(Convolution(x, 4 * width, 1, stride));
  Output h = op::Relu(Normalized(Convolution(x, width, 1, 1)));
  h = op::Relu(Normalized(Convolution(h, width, 3, stride)));
  return op::Relu(Normalized(Convolution(h, 4 * width, 1, 1)) + shortcut);
}

// Makes the logits of ResNet-50 (He et al., 2015), version 1.5.
void AddResNet50(GraphBuilder& b) {
  Output h = b.Placeholder<float>("images", {1, 224, 224, 3});
  h = op::Relu(Normalized(Convolution(h, 64, 7, 2)));
  h = op::MaxPool(h, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME");
  int64_t width = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int i = 0; i < blocks; ++i) {
      h = Block(h, width, i == 0 && width > 64 ? 2 : 1, i == 0);
    }
    width *= 2;
  }
  h = op::AvgPool(h, {1, 7, 7, 1}, {1, 1, 1, 1}, "VALID");
  h = op::Reshape(h, {1, 2048});
  op::MatMul(h, b.Placeholder<float>("weights", {2048, 1000}));
}

TEST(InferWorkTest, CountsTheOperationsOfResNet50) {
  GraphBuilder b;
  AddResNet50(b);
  const Inferred inferred(b);
  double flops = 0;
  for (const NodeId id : inferred.graph.NodeIds()) {
    const NodeWork& node = inferred.nodes[static_cast<size_t>(id)];
    EXPECT_FALSE(node.is_guessed) << inferred.graph.node(id).name();
    const std::string& op = inferred.graph.node(id).op();
    if (op == "Conv2D" || op == "MatMul") flops += node.work.flops;
  }
  // It is well known that the network has 4.09 G multiply-adds.
  EXPECT_EQ(flops, 2.0 * 4'089'184'256);
}

TEST(InferWorkTest, GivesTheSpecsOfAllTensors) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2, 3});
  op::MatMul(x, b.Placeholder<float>("w", {3, 4})).operation();
  const Inferred inferred(b);
  const NodeWork& product = inferred.Of("MatMul");
  ASSERT_EQ(product.inputs.size(), 2u);
  EXPECT_EQ(product.inputs[1].shape, (Shape{3, 4}));
  ASSERT_EQ(product.outputs.size(), 1u);
  EXPECT_EQ(product.outputs[0].dtype, DType::kFloat);
  EXPECT_EQ(product.outputs[0].shape, (Shape{2, 4}));
  EXPECT_EQ(product.work.flops, 2 * 3 * 8);
}

TEST(InferWorkTest, ReadsOnlyTheRowsOfATable) {
  GraphBuilder b;
  const Variable table =
      b.Variable("table", b.Placeholder<float>("initial", {250'000'000, 1}));
  op::ResourceGather(table.handle(), b.Placeholder<int32_t>("indices", {10}),
                     DType::kFloat);
  op::ResourceScatterAdd(table.handle(), b.Placeholder<int32_t>("at", {10}),
                         b.Placeholder<float>("update", Shape()));
  const Inferred inferred(b);
  const NodeWork& gather = inferred.Of("ResourceGather");
  EXPECT_EQ(gather.handles[0].shape, (Shape{250'000'000, 1}));
  EXPECT_EQ(gather.work.bytes_read, 10 * 4 + 10 * 4);
  EXPECT_FALSE(gather.is_guessed);
  const NodeWork& scatter = inferred.Of("ResourceScatterAdd");
  EXPECT_EQ(scatter.work.bytes_written, 10 * 4);
  EXPECT_FALSE(scatter.is_guessed);
}

// x has an unknown batch, and y an unknown rank.
Graph WithUnknowns() {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {-1, 3});
  const Output y = b.Placeholder<float>("y");
  op::Exp(x);
  op::Neg(y);
  op::Reshape(x, {3, -1});
  return b.Build().value();
}

TEST(InferWorkTest, SaysWhereItAssumesExtents) {
  const Inferred inferred(WithUnknowns(), /*assumed_extent=*/32);
  const NodeWork& exp = inferred.Of("Exp");
  EXPECT_EQ(exp.inputs[0].shape, (Shape{32, 3}));
  EXPECT_EQ(exp.work.bytes_read, 32 * 3 * 4);
  EXPECT_TRUE(exp.is_guessed);
  const NodeWork& neg = inferred.Of("Neg");
  EXPECT_EQ(neg.outputs[0].shape, Shape());
  EXPECT_EQ(neg.work.flops, 1);
  EXPECT_TRUE(neg.is_guessed);
  // It does nothing, whatever the batch is.
  EXPECT_FALSE(inferred.Of("Reshape").is_guessed);
}

// An assumed extent may be the very one that is tried beside it.
TEST(InferWorkTest, NoticesAGuessWithEveryAssumption) {
  for (const int64_t assumed : {0, 1, 2, 3}) {
    const Inferred inferred(WithUnknowns(), assumed);
    EXPECT_TRUE(inferred.Of("Exp").is_guessed) << assumed;
    EXPECT_TRUE(inferred.Of("Neg").is_guessed) << assumed;
  }
}

TEST(InferWorkTest, GuessesWhatContentsDecide) {
  GraphBuilder b;
  const Output text = b.Placeholder<std::string>("text", {10});
  op::StringLength(text);
  op::Identity(text);
  const Inferred inferred(b);
  EXPECT_TRUE(inferred.Of("StringLength").is_guessed);
  EXPECT_FALSE(inferred.Of("Identity").is_guessed);
}

TEST(InferWorkTest, GuessesWhatFunctionsDo) {
  const Inferred inferred(ImportText(R"(
    node { name: "call" op: "PartitionedCall"
           attr { key: "Tin" value { list {} } }
           attr { key: "Tout" value { list {} } }
           attr { key: "f" value { func { name: "F" } } } }
    node { name: "direct" op: "F" }
    library { function { signature { name: "F" } } })",
                                     BuiltinOps()));
  EXPECT_TRUE(inferred.Of("call").is_guessed);
  EXPECT_TRUE(inferred.Of("direct").is_guessed);
}

TEST(InferWorkTest, StaysFiniteForHugeExtents) {
  constexpr int64_t kHuge = int64_t{1} << 61;
  GraphBuilder b;
  op::Neg(b.Placeholder<float>("x", {kHuge, -1}));
  // With extents that do not fit, unknown ones are taken for 1.
  const Inferred inferred(b, /*assumed_extent=*/1000);
  EXPECT_EQ(inferred.Of("Neg").inputs[0].shape, (Shape{kHuge, 1}));
  EXPECT_EQ(inferred.Of("Neg").work.bytes_read, 4.0 * kHuge);
}

TEST(InferWorkTest, NeedsNoShapes) {
  const Graph graph = WithUnknowns();
  const auto nodes = InferWork(graph, {});
  ASSERT_EQ(nodes.size(), static_cast<size_t>(graph.num_ids()));
  EXPECT_TRUE(nodes[static_cast<size_t>(graph.Find("Exp"))].is_guessed);
}

TEST(InferWorkTest, LeavesOutRemovedNodes) {
  Graph graph = WithUnknowns();
  const NodeId id = graph.Find("Exp");
  graph.Remove(id);
  const auto nodes = InferWork(graph, {});
  EXPECT_TRUE(nodes[static_cast<size_t>(id)].outputs.empty());
}

}  // namespace
}  // namespace leat::infer_work_test
