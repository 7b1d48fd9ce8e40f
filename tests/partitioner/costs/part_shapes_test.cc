// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/part_shapes.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/infer_shapes.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/tests/partitioner/simulation/hand_made_step.h"

namespace leat::part_shapes_test {
namespace {

using ::testing::SizeIs;

class PartShapesTest : public ::testing::Test {
 protected:
  // A tensor of shape [2,3] goes from CPU 0 to CPU 1 and back.
  void SetUp() override {
    GraphBuilder b;
    const Output there = op::Neg(b.Placeholder<float>("x", {2, 3}));
    op::Exp(op::Abs(there));
    whole = b.Build().value();
    const ClusterModel model = OneHost(1, /*num_cpus=*/2);
    for (const NodeId id : whole.NodeIds()) {
      const bool is_abs = whole.node(id).op() == "Abs";
      whole.mutable_node(id).device =
          whole.InternDevice(model.devices()[is_abs ? 1 : 0].name);
    }
    parts = PartitionGraph(whole, PartitionBy::kDevice, model.DeviceInfos())
                .value();
    ASSERT_THAT(parts, SizeIs(2));
  }

  // Checks that the only output of each node, of two _Recvs too, is [2,3].
  void ExpectAllKnown(const std::vector<GraphShapes>& shapes) {
    ASSERT_THAT(shapes, SizeIs(parts.size()));
    int num_recvs = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      for (const NodeId id : parts[i].graph.NodeIds()) {
        const Node& node = parts[i].graph.node(id);
        if (node.num_outputs() == 0) continue;
        num_recvs += node.op() == "_Recv" ? 1 : 0;
        ASSERT_THAT(shapes[i][id], SizeIs(1)) << node.name();
        EXPECT_EQ(shapes[i][id][0].shape.DebugString(), "[2,3]") << node.name();
      }
    }
    EXPECT_EQ(num_recvs, 2);
  }

  Graph whole{BuiltinOps()};
  std::vector<Partition> parts;
};

TEST_F(PartShapesTest, ARecvHasTheShapeOfWhatIsSent) {
  ExpectAllKnown(PartShapes(whole, InferShapes(whole).value(), parts));
}

TEST_F(PartShapesTest, InfersWhatIsNotKnownOfTheWholeGraph) {
  const std::vector<GraphShapes> shapes = PartShapes(whole, {}, parts);
  for (size_t i = 0; i < parts.size(); ++i) {
    for (const NodeId id : parts[i].graph.NodeIds()) {
      EXPECT_THAT(shapes[i][id], SizeIs(parts[i].graph.node(id).num_outputs()));
    }
  }
  const NodeId abs = parts[1].graph.Find("Abs");
  ASSERT_NE(abs, kNoNode);
  EXPECT_EQ(shapes[1][abs][0].shape.DebugString(), "[2,3]");
}

}  // namespace
}  // namespace leat::part_shapes_test
