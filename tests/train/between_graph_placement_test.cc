// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// In between-graph training, each worker builds its own graph of the whole
// model. These tests build such a graph for one worker of a cluster. They check
// that each node that uses a variable requests the device of this variable, and
// that the graph can be placed on the cluster. No step runs, so the tests need
// no tasks.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"

namespace leat::nn::between_graph_placement_test {
namespace {

std::vector<DeviceInfo> Cluster() {
  std::vector<DeviceInfo> devices;
  for (const char* task : {"worker/replica:0/task:0", "worker/replica:0/task:1",
                           "ps/replica:0/task:0", "ps/replica:0/task:1"}) {
    devices.push_back({.name = absl::StrCat("/job:", task, "/device:CPU:0"),
                       .type = "CPU",
                       .incarnation = 1});
  }
  return devices;
}

// The model has an embedding, normalized layers, a branch that reads a
// variable, slots, and a learning rate that depends on the global step.
void BuildModel(GraphBuilder& b) {
  const Output ids = b.Placeholder<int32_t>("ids", {-1, 4});
  const Output labels = b.Placeholder<int32_t>("labels", {-1});
  Output h = Embedding(ids, {.vocabulary = 11,
                             .dimension = 3,
                             .partitioner = FixedSizePartitioner(3)});
  h = Dense(Flatten(h), {.units = 8, .activation = relu});
  h = BatchNormalization(h);
  const Variable bias = b.GetVariable("bias", DType::kFloat, Shape{},
                                      [&] { return b.Const(0.5f); });
  h = Cond(
      op::Greater(bias.value(), 0.0f),
      [&] { return std::vector<Output>{h + bias.value()}; },
      [&] { return std::vector<Output>{h}; })[0];
  const Output loss = SparseSoftmaxCrossEntropy(labels, Dense(h, {.units = 5}));
  const Variable step = GlobalStep(b);
  Adam({.learning_rate = ExponentialDecay(step.value())})
      .Minimize(loss, {.global_step = step});
}

bool TouchesAVariable(const Graph& graph, const Node& node) {
  if (node.op() == "VarHandleOp") return true;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Endpoint input = node.inputs[i];
    if (graph.node(input.node).output_type(input.index) == DType::kResource) {
      return true;
    }
  }
  return false;
}

// Every node that uses a variable must request the variable's device. If a node
// requested another device, TensorFlow's placer would correct the device and
// write a log message. Other planners might not correct the device.
TEST(BetweenGraphPlacementTest, WhatTouchesAVariableAsksForItsDevice) {
  GraphBuilder b;
  const Scope device = b.OnDevice(ReplicaDeviceSetter(
      {.ps_tasks = 2, .worker_device = "/job:worker/task:1"}));
  BuildModel(b);
  ASSERT_TRUE(b.status().ok()) << b.status();
  int touch = 0;
  for (const NodeId id : b.graph().NodeIds()) {
    const Node& node = b.graph().node(id);
    if (node.op() == "If") continue;
    for (const Endpoint input : node.inputs) {
      const Node& from = b.graph().node(input.node);
      if (from.op() != "VarHandleOp") continue;
      ++touch;
      EXPECT_EQ(node.def->device, from.def->device) << node.name();
    }
  }
  EXPECT_GT(touch, 50);
}

TEST(BetweenGraphPlacementTest, VariablesAreOnServersTheRestOnTheWorker) {
  for (const bool greedy : {false, true}) {
    GraphBuilder b;
    {
      const Scope device = b.OnDevice(ReplicaDeviceSetter(
          {.ps_tasks = 2,
           .worker_device = "/job:worker/task:1",
           .strategy = greedy ? GreedyByBytes(2) : RoundRobin(2)}));
      BuildModel(b);
    }
    const absl::StatusOr<Graph> graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    const absl::StatusOr<Graph> placed =
        PrepareGraph(*graph, Cluster(), {.policies = &BuiltinPolicies()});
    ASSERT_TRUE(placed.ok()) << placed.status();
    int on_servers[2] = {};
    int on_worker = 0;
    for (const NodeId id : placed->NodeIds()) {
      const Node& node = placed->node(id);
      const std::string& device = placed->AssignedDevice(id);
      const bool on_ps = absl::StartsWith(device, "/job:ps/");
      if (TouchesAVariable(*placed, node) && node.op() != "Switch") {
        EXPECT_TRUE(on_ps) << node.name() << " (" << node.op() << ") is on "
                           << device;
      }
      if (on_ps) ++on_servers[absl::StrContains(device, "task:1")];
      on_worker += absl::StartsWith(device, "/job:worker/replica:0/task:1/");
      if (node.op() == "MatMul" || node.op() == "DynamicPartition" ||
          node.op() == "ParallelDynamicStitch") {
        EXPECT_EQ(device, "/job:worker/replica:0/task:1/device:CPU:0")
            << node.name();
      }
    }
    EXPECT_GT(on_servers[0], 20);
    EXPECT_GT(on_servers[1], 20);
    EXPECT_GT(on_worker, 50);
  }
}

}  // namespace
}  // namespace leat::nn::between_graph_placement_test
