// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/device_copies.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/partition.h"
#include "leat/partitioner/placer.h"

namespace leat::device_copies_test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

const std::string kTask = "/job:localhost/replica:0/task:0";

std::vector<DeviceInfo> TwoCpusAndAGpu() {
  return {{.name = kTask + "/device:CPU:0", .type = "CPU", .incarnation = 1},
          {.name = kTask + "/device:CPU:1", .type = "CPU", .incarnation = 2},
          {.name = kTask + "/device:GPU:0", .type = "GPU", .incarnation = 3}};
}

// Returns the ids of all nodes whose op is `op`.
std::vector<NodeId> Of(const Graph& graph, const std::string& op) {
  std::vector<NodeId> found;
  for (const NodeId id : graph.NodeIds()) {
    if (graph.node(id).op() == op) found.push_back(id);
  }
  return found;
}

class DeviceCopiesTest : public ::testing::Test {
 protected:
  // Places the graph of `b_`, cuts it by device and returns the part of the GPU
  // with its copies.
  Graph GpuPart() {
    Graph graph = b_.Build().value();
    const absl::Status placed =
        PlaceGraph(graph, TwoCpusAndAGpu(),
                   {.policy = BuiltinPolicies().Find(kDefaultPolicy).value()});
    EXPECT_TRUE(placed.ok()) << placed;
    auto parts = PartitionGraph(std::move(graph), PartitionBy::kDevice,
                                TwoCpusAndAGpu());
    EXPECT_TRUE(parts.ok()) << parts.status();
    for (Partition& part : *parts) {
      if (part.name != TwoCpusAndAGpu()[2].name) continue;
      const absl::Status copied = InsertDeviceCopies(kGpu, part.graph);
      EXPECT_TRUE(copied.ok()) << copied;
      return std::move(part.graph);
    }
    ADD_FAILURE() << "no node is on the GPU";
    return Graph(BuiltinOps());
  }

  GraphBuilder b_;
};

TEST_F(DeviceCopiesTest, CopiesATensorToTheHostOnceForAllSends) {
  Output x;
  {
    auto gpu = b_.OnDevice("/device:GPU:0");
    x = op::Identity(b_.Const({1.0f, 2.0f}));
  }
  for (const char* cpu : {"/device:CPU:0", "/device:CPU:1"}) {
    auto scope = b_.OnDevice(cpu);
    op::Neg(x);
  }
  const Graph part = GpuPart();
  const std::vector<NodeId> copies = Of(part, "_CopyToHost");
  ASSERT_EQ(copies.size(), 1);
  EXPECT_THAT(Of(part, "_CopyToDevice"), IsEmpty());
  const std::vector<NodeId> sends = Of(part, "_Send");
  ASSERT_EQ(sends.size(), 2);
  for (const NodeId send : sends) {
    EXPECT_EQ(part.node(send).inputs[0], (Endpoint{copies[0], 0}));
  }
}

TEST_F(DeviceCopiesTest, CopiesAReceivedTensorToTheDeviceOnce) {
  Output x;
  {
    auto cpu = b_.OnDevice("/device:CPU:0");
    x = op::Neg(b_.Const({1.0f, 2.0f}));
  }
  auto gpu = b_.OnDevice("/device:GPU:0");
  op::Identity(x);
  op::Identity(x);
  const Graph part = GpuPart();
  ASSERT_EQ(Of(part, "_CopyToDevice").size(), 1);
  EXPECT_THAT(Of(part, "_CopyToHost"), IsEmpty());
  for (const NodeId identity : Of(part, "Identity")) {
    EXPECT_EQ(part.node(part.node(identity).inputs[0].node).op(),
              "_CopyToDevice");
  }
}

TEST_F(DeviceCopiesTest, LeavesShapesInMemoryOfTheHost) {
  auto gpu = b_.OnDevice("/device:GPU:0");
  Output x = b_.Const({1.0f, 2.0f, 3.0f, 4.0f});
  Output shape = op::Identity(b_.Const({2, 2}));
  op::Shape(op::Reshape(x, shape));
  const Graph part = GpuPart();
  EXPECT_THAT(Of(part, "_CopyToDevice"), IsEmpty());
  EXPECT_THAT(Of(part, "_CopyToHost"), IsEmpty());
}

TEST_F(DeviceCopiesTest, CopiesAVariableAfterItsUpdate) {
  Output variable;
  Operation assigned;
  {
    auto gpu = b_.OnDevice("/device:GPU:0");
    variable = op::VariableV2(b_, PartialShape{2}, DType::kFloat);
    assigned = op::Assign(variable, b_.Const({1.0f, 2.0f})).operation();
  }
  {
    auto after = b_.ControlDependencies({assigned});
    auto cpu = b_.OnDevice("/device:CPU:0");
    op::Neg(variable);
  }
  const Graph part = GpuPart();
  const std::vector<NodeId> copies = Of(part, "_CopyToHost");
  ASSERT_EQ(copies.size(), 1);
  EXPECT_THAT(part.node(copies[0]).controls,
              Contains(Of(part, "Assign").front()));
}

TEST_F(DeviceCopiesTest, DoesNothingOnACpu) {
  b_.Const({1.0f, 2.0f});
  Graph graph = b_.Build().value();
  const int num_nodes = graph.num_nodes();
  ASSERT_TRUE(InsertDeviceCopies(kCpu, graph).ok());
  EXPECT_EQ(graph.num_nodes(), num_nodes);
}

}  // namespace
}  // namespace leat::device_copies_test
