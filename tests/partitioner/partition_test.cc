// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/partition.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/placer.h"

namespace leat::partition_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::string kTask = "/job:localhost/replica:0/task:0";

std::vector<DeviceInfo> TwoCpus() {
  return {{.name = kTask + "/device:CPU:0", .type = "CPU", .incarnation = 7},
          {.name = kTask + "/device:CPU:1", .type = "CPU", .incarnation = 8}};
}

int Count(const Graph& graph, const std::string& op) {
  const std::vector<NodeId> ids = graph.NodeIds();
  return static_cast<int>(std::count_if(ids.begin(), ids.end(), [&](NodeId id) {
    return graph.node(id).op() == op;
  }));
}

const Node& Only(const Graph& graph, const std::string& op) {
  const std::vector<NodeId> ids = graph.NodeIds();
  return graph.node(*std::find_if(ids.begin(), ids.end(), [&](NodeId id) {
    return graph.node(id).op() == op;
  }));
}

class PartitionTest : public ::testing::Test {
 protected:
  Graph Placed() {
    Graph graph = b.Build().value();
    const absl::Status status =
        PlaceGraph(graph, TwoCpus(),
                   {.policy = BuiltinPolicies().Find(kDefaultPolicy).value()});
    EXPECT_TRUE(status.ok()) << status;
    return graph;
  }
  std::vector<Partition> Cut(PartitionBy by = PartitionBy::kDevice) {
    auto partitions = PartitionGraph(Placed(), by, TwoCpus());
    EXPECT_TRUE(partitions.ok()) << partitions.status();
    return partitions.ok() ? *std::move(partitions) : std::vector<Partition>();
  }

  // Returns a placeholder on the first device. Without the scope, the
  // placeholder would be placed with its consumers.
  Output Here(absl::string_view name, DType dtype = DType::kFloat) {
    auto device = b.OnDevice("/cpu:0");
    return b.Placeholder(dtype, name);
  }

  GraphBuilder b;
};

TEST_F(PartitionTest, LeavesAGraphOnOneDeviceAlone) {
  op::Neg(b.Placeholder<float>("x"));
  const auto partitions = Cut();
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(partitions[0].name, TwoCpus()[0].name);
  EXPECT_EQ(partitions[0].graph.num_nodes(), 3);  // x, Neg and init
}

TEST_F(PartitionTest, ATensorCrossesOnceForAllConsumersThere) {
  const Output x = Here("x");
  {
    auto device = b.OnDevice("/cpu:1");
    op::Neg(x);
    op::Exp(x);
  }
  const auto partitions = Cut();
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_EQ(Count(partitions[0].graph, "_Send"), 1);
  EXPECT_EQ(Count(partitions[1].graph, "_Recv"), 1);
  const AttrMap& send = Only(partitions[0].graph, "_Send").attrs();
  const AttrMap& recv = Only(partitions[1].graph, "_Recv").attrs();
  for (const char* attr : {"tensor_name", "send_device", "recv_device",
                           "send_device_incarnation"}) {
    EXPECT_EQ(*send.Find(attr), *recv.Find(attr)) << attr;
  }
  EXPECT_EQ(send.Get<int64_t>("send_device_incarnation").value(), 7);
  EXPECT_FALSE(recv.Get<bool>("_leat_may_be_dead").value());
}

TEST_F(PartitionTest, AControlEdgeCrossesAsAnEmptyTensor) {
  const Output x = Here("x");
  Output y;
  {
    auto device = b.OnDevice("/cpu:1");
    auto after = b.ControlDependencies({x.operation()});
    y = b.Placeholder<float>("y");
  }
  const auto partitions = Cut();
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_EQ(Count(partitions[0].graph, "_Send"), 1);
  const Graph& there = partitions[1].graph;
  const Node& waits = there.node(there.Find("y"));
  ASSERT_EQ(waits.controls.size(), 1u);
  EXPECT_EQ(there.node(waits.controls[0]).op(), "Identity");
}

TEST_F(PartitionTest, ByTaskKeepsDevicesOfATaskTogether) {
  const Output x = Here("x");
  {
    auto device = b.OnDevice("/cpu:1");
    op::Neg(x);
  }
  const auto partitions = Cut(PartitionBy::kTask);
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(partitions[0].name, kTask);
  EXPECT_EQ(Count(partitions[0].graph, "_Send"), 0);
}

TEST_F(PartitionTest, MarksWhatMayBeDead) {
  const auto branches = op::Switch(Here("x"), Here("p", DType::kBool));
  {
    auto device = b.OnDevice("/cpu:1");
    op::Neg(branches.output_true);
  }
  const auto partitions = Cut();
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_TRUE(Only(partitions[1].graph, "_Recv")
                  .attrs()
                  .Get<bool>("_leat_may_be_dead")
                  .value());
}

// A reference is sent to each of its consumers separately, as in TensorFlow
// ("ref edges are never shared").
TEST_F(PartitionTest, AVariableIsReadForEachConsumerAfterWhatThatWaitsFor) {
  Variable v;
  Output added;
  {
    auto device = b.OnDevice("/cpu:0");
    v = b.Variable("v", b.Const(1.0f), {.use_resource = false});
    added = op::AssignAdd(v.handle(), b.Const(1.0f));
  }
  auto device = b.OnDevice("/cpu:1");
  const Output before = op::Neg(v.handle());
  const Output local = b.Placeholder<float>("local");
  Output after;
  {
    auto wait = b.ControlDependencies({added.operation(), before.operation()});
    after = op::Mul(v.handle(), local);
  }
  const auto partitions = Cut();
  ASSERT_EQ(partitions.size(), 2u);
  const Graph& here = partitions[0].graph;
  const Graph& there = partitions[1].graph;
  const auto recv_of = [&](const Output& output) -> const Node& {
    const Node& node = there.node(there.Find(output.operation().name()));
    return there.node(node.inputs[0].node);
  };
  const auto send_of = [&](const Node& recv) -> const Node& {
    for (const NodeId id : here.NodeIds()) {
      const AttrValue* name = here.node(id).attrs().Find("tensor_name");
      if (name != nullptr && *name == *recv.attrs().Find("tensor_name")) {
        return here.node(id);
      }
    }
    return recv;
  };
  EXPECT_THAT(recv_of(before).controls, IsEmpty());
  EXPECT_THAT(send_of(recv_of(before)).controls, IsEmpty());
  EXPECT_THAT(recv_of(after).controls,
              UnorderedElementsAre(there.Find(before.operation().name()),
                                   there.Find("local")));
  EXPECT_THAT(send_of(recv_of(after)).controls,
              ElementsAre(here.Find(added.operation().name())));
}

int64_t CountControlEdges(const Graph& graph) {
  int64_t count = 0;
  for (const NodeId id : graph.NodeIds()) {
    count += static_cast<int64_t>(graph.node(id).controls.size());
  }
  return count;
}

// Checks that all nodes of type `op` wait for the same NoOp, and that this NoOp
// waits for `controls`.
void ExpectOneGate(const Graph& graph, const std::string& op,
                   const std::vector<std::string>& controls) {
  std::vector<NodeId> awaited;
  for (const std::string& name : controls) {
    awaited.push_back(graph.Find(name));
  }
  const NodeId gate = Only(graph, op).controls[0];
  EXPECT_EQ(graph.node(gate).op(), "NoOp");
  EXPECT_THAT(graph.node(gate).controls,
              ::testing::UnorderedElementsAreArray(awaited));
  for (const NodeId id : graph.NodeIds()) {
    if (graph.node(id).op() != op) continue;
    EXPECT_THAT(graph.node(id).controls, ElementsAre(gate));
  }
}

TEST_F(PartitionTest, AConsumerOfManyVariablesWaitsOnceOnEachSide) {
  constexpr int kCount = 2000;
  std::vector<Output> variables;
  std::vector<std::string> names;
  {
    auto device = b.OnDevice("/cpu:0");
    for (int i = 0; i < kCount; ++i) {
      variables.push_back(op::VariableV2(b, Shape(), DType::kFloat));
      names.push_back(variables.back().operation().name());
    }
  }
  std::vector<Operation> before;
  std::vector<std::string> local;
  auto device = b.OnDevice("/cpu:1");
  for (int i = 0; i < kCount; ++i) {
    local.push_back(absl::StrCat("local", i));
    before.push_back(b.Placeholder<float>(local.back()).operation());
  }
  {
    auto wait = b.ControlDependencies(before);
    op::AddN(variables);
  }
  const auto partitions = Cut();
  ASSERT_EQ(partitions.size(), 2u);
  const Graph& here = partitions[0].graph;
  const Graph& there = partitions[1].graph;
  EXPECT_EQ(Count(here, "_Send"), kCount);
  // Each variable has an edge to the gate, and the gate has an edge to each
  // _Send.
  EXPECT_EQ(CountControlEdges(here), 2 * kCount);
  // Each placeholder has an edge to the gate and an edge to the sum. The gate
  // has an edge to each _Recv.
  EXPECT_EQ(CountControlEdges(there), 3 * kCount);
  ASSERT_FALSE(Only(here, "_Send").controls.empty());
  ExpectOneGate(here, "_Send", names);
  ExpectOneGate(there, "_Recv", local);
  EXPECT_TRUE(TopologicalOrder(here).ok());
  EXPECT_TRUE(TopologicalOrder(there).ok());
}

TEST_F(PartitionTest, RefusesANodeWithoutADevice) {
  b.Placeholder<float>("x");
  const absl::Status status =
      PartitionGraph(b.Build().value(), PartitionBy::kDevice, TwoCpus())
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'x'"));
}

TEST_F(PartitionTest, RefusesAReferenceThatWouldCross) {
  const Variable v = b.Variable("v", b.Const(1.0f), {.use_resource = false});
  const Output update = op::AssignAdd(v.handle(), b.Const(1.0f));
  Graph graph = Placed();
  graph.mutable_node(graph.Find(update.operation().name())).device =
      graph.InternDevice(TwoCpus()[1].name);
  const absl::Status status =
      PartitionGraph(graph, PartitionBy::kDevice, TwoCpus()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("references do not cross devices"));
}

}  // namespace
}  // namespace leat::partition_test
