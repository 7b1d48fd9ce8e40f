// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Counts the tensors that travel between the memories of a CPU and a GPU in the
// graphs of the examples. The graphs are only planned, so the GPU need not
// exist.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/tools/dumps/graph_stages.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"

namespace leat::gpu_placement_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Lists the tensors of a step that are copied or sent between devices. Each
// tensor is listed by the name of the node that a copy or a _Send reads it
// from.
struct Travels {
  std::vector<std::string> per_step = {};
  std::vector<std::string> per_iteration = {};  // inside of a loop
};

bool Moves(const std::string& op) {
  return op == "_CopyToHost" || op == "_CopyToDevice" || op == "_Send";
}

// Plans a step for a CPU and a GPU, and returns its travels.
Travels TravelsOf(GraphBuilder& b, std::vector<Output> feeds,
                  std::vector<Operation> targets) {
  StageOptions options;
  AddNominalDevices("/job:localhost/replica:0/task:0", kCpu, 1,
                    options.devices);
  AddNominalDevices("/job:localhost/replica:0/task:0", kGpu, 1,
                    options.devices);
  for (const Output& feed : feeds) {
    options.signature.feeds.push_back(feed.name());
  }
  for (const Operation& target : targets) {
    options.signature.targets.push_back(target.name());
  }
  Travels travels;
  auto graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return travels;
  const auto staged = GraphAtStage(*graph, options);
  EXPECT_TRUE(staged.ok()) << staged.status();
  if (!staged.ok()) return travels;
  for (const Partition& part : staged->parts) {
    const auto frames = FindFrames(part.graph);
    EXPECT_TRUE(frames.ok()) << frames.status();
    for (const NodeId id : part.graph.NodeIds()) {
      const Node& node = part.graph.node(id);
      if (!Moves(node.op())) continue;
      const bool is_in_loop = frames->of_inputs[id] != Frames::kRoot;
      (is_in_loop ? travels.per_iteration : travels.per_step)
          .push_back(part.graph.node(node.inputs[0].node).name());
    }
  }
  return travels;
}

TEST(GpuPlacementTest, ATrainingStepOfDenseLayersStaysOnTheGpu) {
  GraphBuilder b;
  const Output images = b.Placeholder<uint8_t>("images", {-1, 28, 28, 1});
  const Output labels = b.Placeholder<int32_t>("labels", {-1});
  const Output pixels = op::Cast(nn::Flatten(images), DType::kFloat) / 255;
  const Output h = nn::Dense(pixels, {.units = 128, .activation = nn::relu});
  const Output loss =
      nn::SparseSoftmaxCrossEntropy(labels, nn::Dense(h, {.units = 10}));
  const Operation train = nn::Adam({.learning_rate = 2e-3}).Minimize(loss);
  const Travels travels = TravelsOf(b, {images, labels}, {train});
  // Labels are fed to host memory, because kernels read all int32 tensors
  // there. The gradient of a mean divides by the number of elements, which is
  // also an int32.
  EXPECT_THAT(travels.per_step,
              ElementsAre("_arg_labels_0", HasSubstr("Mean_grad/Size")));
}

TEST(GpuPlacementTest, TheAutoencoderStaysOnTheGpu) {
  GraphBuilder b;
  const Output images = b.Placeholder<uint8_t>("images", {-1, 28, 28, 1});
  const Output pixels = op::Cast(nn::Flatten(images), DType::kFloat) / 255;
  const Output code = nn::Dense(pixels, {.units = 16, .name = "code"});
  const Output restored =
      nn::Dense(code, {.units = 28 * 28, .activation = nn::sigmoid});
  const Output loss = nn::MeanSquaredError(pixels, restored);
  const Operation train = nn::Adam({.learning_rate = 2e-3}).Minimize(loss);
  EXPECT_THAT(TravelsOf(b, {images}, {train}).per_step,
              ElementsAre(HasSubstr("Mean_grad/Size")));
}

// This is the loop of a recurrent network, together with its gradient.
TEST(GpuPlacementTest, ALoopAndItsGradientStayOnTheGpu) {
  constexpr int64_t kUnits = 8;
  constexpr int64_t kBatch = 4;
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {10, kBatch, kUnits});
  const Variable kernel =
      b.Variable("kernel", Tensor::Filled(Shape{2 * kUnits, 4 * kUnits}, .1f));
  const Output zeros = b.Const(Tensor::Filled(Shape{kBatch, kUnits}, 0.f));
  const std::vector<Output> end = While(
      {0, zeros, zeros, 0.0f}, [](auto v) { return op::Less(v[0], 10); },
      [&](auto v) {
        const Output joined = op::ConcatV2({x.Slice({v[0]}), v[2]}, 1);
        const auto gates = op::Split(1, op::MatMul(joined, kernel), 4);
        const Output cell = op::Sigmoid(gates[0] + 1) * v[1] +
                            op::Sigmoid(gates[1]) * op::Tanh(gates[3]);
        const Output hidden = op::Sigmoid(gates[2]) * op::Tanh(cell);
        return std::vector<Output>{v[0] + 1, cell, hidden,
                                   v[3] + nn::MeanOfAll(hidden)};
      });
  const Operation train = nn::Adam({.learning_rate = 3e-3}).Minimize(end[3]);
  const Travels travels = TravelsOf(b, {x}, {train});
  EXPECT_THAT(travels.per_iteration, IsEmpty());
  EXPECT_THAT(travels.per_step, IsEmpty());
}

// The list stays on the GPU, because the GPU computes its elements.
TEST(GpuPlacementTest, AListThatACpuReadsIsCopiedOnce) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {4, 4});
  const Output empty = op::EmptyTensorList(b.Const(-1), -1, DType::kFloat);
  const std::vector<Output> end = While(
      {0, empty}, [](auto v) { return op::Less(v[0], 10); },
      [&](auto v) {
        return std::vector<Output>{
            v[0] + 1, op::TensorListPushBack(v[1], op::MatMul(x, x))};
      });
  Operation read;
  {
    auto cpu = b.OnDevice("/device:CPU:0");
    read = op::TensorListStack(end[1], -1, DType::kFloat).operation();
  }
  const Travels travels = TravelsOf(b, {x}, {read});
  EXPECT_THAT(travels.per_iteration, IsEmpty());
  EXPECT_THAT(travels.per_step, SizeIs(2));  // one copy and one _Send
}

// The host must know the condition of a loop. Here the condition has two parts.
TEST(GpuPlacementTest, AConditionOfTwoPartsStaysOnTheHost) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {4, 4});
  const std::vector<Output> end = While(
      {0, x},
      [](auto v) {
        return op::LogicalAnd(op::Less(v[0], 10),
                              op::LogicalNot(op::Equal(v[0], 7)));
      },
      [&](auto v) {
        return std::vector<Output>{v[0] + 1, op::MatMul(v[1], x)};
      });
  const Travels travels = TravelsOf(b, {x}, {end[1].operation()});
  EXPECT_THAT(travels.per_iteration, IsEmpty());
}

}  // namespace
}  // namespace leat::gpu_placement_test
