// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/placer.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"

namespace leat::placer_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr char kCpu0[] = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr char kCpu1[] = "/job:worker/replica:0/task:0/device:CPU:1";
constexpr char kPs0[] = "/job:ps/replica:0/task:0/device:CPU:0";

std::vector<DeviceInfo> Cluster() {
  std::vector<DeviceInfo> devices;
  for (const char* name : {kCpu0, kCpu1, kPs0}) {
    devices.push_back({.name = name, .type = "CPU", .incarnation = 1});
  }
  return devices;
}

class PlacerTest : public ::testing::Test {
 protected:
  absl::Status Place(const std::string& policy = kDefaultPolicy,
                     bool soft = false) {
    auto built = b.Build();
    if (!built.ok()) return built.status();
    graph = *std::move(built);
    return PlaceGraph(graph, devices,
                      {.allow_soft_placement = soft,
                       .policy = BuiltinPolicies().Find(policy).value(),
                       .foreign_tasks = foreign_tasks});
  }
  std::string DeviceOf(const Operation& operation) const {
    return graph.AssignedDevice(graph.Find(operation.name()));
  }
  std::string DeviceOf(const Output& output) const {
    return DeviceOf(output.operation());
  }

  GraphBuilder b;
  Graph graph{BuiltinOps()};
  std::vector<DeviceInfo> devices = Cluster();
  std::vector<std::string> foreign_tasks;
};

TEST_F(PlacerTest, TakesTheFirstDeviceForWhoDoesNotCare) {
  const Output x = b.Placeholder<float>("x");
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf(x), kCpu0);
}

// A node that computes on a GPU is placed on the GPU. A node that only passes
// tensors on or computes shapes is placed on the device of its input.
TEST_F(PlacerTest, WhatGainsNothingFromAGpuStaysBesideItsInput) {
  constexpr char kGpu0[] = "/job:worker/replica:0/task:0/device:GPU:0";
  devices.push_back({.name = kGpu0, .type = kGpu, .incarnation = 1});
  const Output x = b.Placeholder<float>("x");
  const Output on_gpu = op::Neg(x);
  const Output on_cpu = op::CheckNumerics(x, "x");  // has no kernel for GPUs
  const auto route = [&](const Output& from) {
    const Output shape = op::Shape(from);
    const Output sum = op::Add(shape, shape);
    const Output same = op::Reshape(from, shape);
    const Output next = op::NextIteration(same);
    return std::vector<Output>{shape, sum, same, next};
  };
  const std::vector<Output> beside_gpu = route(on_gpu);
  const std::vector<Output> beside_cpu = route(on_cpu);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf(on_gpu), kGpu0);
  EXPECT_EQ(DeviceOf(on_cpu), kCpu0);
  for (const Output& output : beside_gpu) {
    EXPECT_EQ(DeviceOf(output), kGpu0) << output.operation().name();
  }
  for (const Output& output : beside_cpu) {
    EXPECT_EQ(DeviceOf(output), kCpu0) << output.operation().name();
  }
}

TEST_F(PlacerTest, HonoursFullAndPartialRequests) {
  Output x, y;
  {
    auto device = b.OnDevice("/job:ps");
    x = b.Placeholder<float>("x");
  }
  {
    auto device = b.OnDevice("/cpu:1");
    y = b.Placeholder<float>("y");
  }
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf(x), kPs0);
  EXPECT_EQ(DeviceOf(y), kCpu1);
}

TEST_F(PlacerTest, ColocatesReferenceEdges) {
  Variable v;
  {
    auto device = b.OnDevice("/job:ps");
    v = b.Variable("v", b.Const(1.0f), {.use_resource = false});
  }
  const Output update = op::AssignAdd(v.handle(), b.Const(1.0f));
  const Variable free =
      b.Variable("free", b.Const(1.0f), {.use_resource = false});
  const Output free_update = op::AssignAdd(free.handle(), b.Const(1.0f));
  for (const std::string& policy : BuiltinPolicies().Names()) {
    ASSERT_TRUE(Place(policy).ok()) << policy;
    EXPECT_EQ(DeviceOf(update), kPs0) << policy;
    EXPECT_EQ(DeviceOf(free_update), DeviceOf(free.handle())) << policy;
  }
}

TEST_F(PlacerTest, ColocatesResourceEdges) {
  Variable v;
  {
    auto device = b.OnDevice("/job:ps");
    v = b.Variable("v", b.Const(1.0f));
  }
  const Operation update = op::AssignAddVariableOp(v.handle(), b.Const(1.0f));
  const Variable free = b.Variable("free", b.Const(1.0f));
  const Operation free_update =
      op::AssignAddVariableOp(free.handle(), b.Const(1.0f));
  for (const std::string& policy : BuiltinPolicies().Names()) {
    ASSERT_TRUE(Place(policy).ok()) << policy;
    EXPECT_EQ(DeviceOf(v.handle()), kPs0) << policy;
    EXPECT_EQ(DeviceOf(update), kPs0) << policy;
    EXPECT_EQ(DeviceOf(free_update), DeviceOf(free.handle())) << policy;
  }
}

// TensorFlow also moves control-flow nodes to the devices of their values
// before it partitions a graph. A node that requests another device gets that
// device.
TEST_F(PlacerTest, ControlFlowStandsWhereItsValuesAre) {
  Output enter, merge, choice, exit, next, far;
  const Output x = b.Placeholder<float>("x");
  enter = op::Enter(x, "loop");
  {
    auto device = b.OnDevice("/cpu:1");
    merge = op::Merge({enter, enter}).output;
  }
  const Output running = op::LoopCond(op::Less(merge, merge));
  choice = op::Switch(merge, running).output_true;
  exit = op::Exit(choice);
  {
    auto device = b.OnDevice("/job:ps");
    far = op::Exit(choice);
  }
  next = op::NextIteration(op::Neg(choice));
  const auto again = op::Merge({next, enter}).output;
  for (const std::string& policy : BuiltinPolicies().Names()) {
    ASSERT_TRUE(Place(policy).ok()) << policy;
    for (const Output& output : {enter, choice, exit}) {
      EXPECT_EQ(DeviceOf(output), kCpu1) << output.operation().name();
    }
    EXPECT_EQ(DeviceOf(next), DeviceOf(again)) << policy;
    EXPECT_EQ(DeviceOf(far), kPs0) << policy;
  }
}

TEST_F(PlacerTest, ColocatesNodesThatNameEachOther) {
  Output x;
  {
    auto device = b.OnDevice("/cpu:1");
    x = b.Placeholder<float>("x");
  }
  Output y;
  {
    auto with = b.ColocateWith(x.operation());
    y = b.Placeholder<float>("y");
  }
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf(y), kCpu1);
}

TEST_F(PlacerTest, PutsConstantsWhereTheirConsumersAre) {
  const Output one = b.Const(1.0f);
  const Output everywhere = b.Const(1.0f);
  Output x;
  {
    auto device = b.OnDevice("/cpu:1");
    x = b.Placeholder<float>("x");
    op::AddV2(x, one);
    op::AddV2(x, everywhere);
  }
  {
    auto device = b.OnDevice("/job:ps");
    op::Neg(everywhere);
  }
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf(one), kCpu1);
  EXPECT_EQ(DeviceOf(everywhere), kCpu0);
}

TEST_F(PlacerTest, ShapesStayWithTheirTensor) {
  Output x;
  {
    auto device = b.OnDevice("/cpu:1");
    x = b.Placeholder<float>("x");
  }
  const Output shape = op::Shape(x);
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf(shape), kCpu1);
}

// If a placeholder is on the device of its consumers, it is fed without a
// message from another task.
TEST_F(PlacerTest, PlaceholdersAreWhereTheyAreUsed) {
  const Output x = b.Placeholder<float>("x");
  const Output fallback = b.Const(1.0f);
  const Output y = op::PlaceholderWithDefault(fallback, {});
  const Output passed = op::Identity(x);
  const Output shape = op::Shape(x);
  Output shape_user;
  {
    auto device = b.OnDevice("/job:ps");
    op::AddV2(passed, y);
  }
  {
    auto device = b.OnDevice("/cpu:1");
    shape_user = op::Neg(shape);
  }
  const Output fetched = op::Identity(x);
  ASSERT_TRUE(Place().ok());
  for (const Output& output : {x, passed, y, fallback, shape, fetched}) {
    EXPECT_EQ(DeviceOf(output), kPs0) << output.operation().name();
  }
  EXPECT_EQ(DeviceOf(shape_user), kCpu1);
}

TEST_F(PlacerTest, PlaceholdersUsedInSeveralPlacesAreOnTheFirst) {
  const Output x = b.Placeholder<float>("x");
  const Output passed = op::Identity(x);
  const Output y = b.Placeholder<float>("y");
  {
    auto device = b.OnDevice("/job:ps");
    op::AddV2(passed, y);
  }
  {
    auto device = b.OnDevice("/cpu:1");
    op::Neg(passed);
    op::Neg(y);
  }
  ASSERT_TRUE(Place().ok());
  for (const Output& output : {x, passed, y}) {
    EXPECT_EQ(DeviceOf(output), kCpu0) << output.operation().name();
  }
}

// Leat has no kernel for a MatMul of uint16, but a foreign task may have one.
TEST_F(PlacerTest, AssumesThatForeignTasksHaveEveryRegisteredOp) {
  const auto of_uint16 = [&](const char* device) {
    auto scope = b.OnDevice(device);
    const Output x = b.Placeholder(DType::kUint16, "x");
    return op::MatMul(x, x);
  };
  const Output product = of_uint16("/job:ps");
  Output with_product;
  {
    auto with = b.ColocateWith(product.operation());
    with_product = op::MatMul(product, product);
  }
  const Output homeless = of_uint16("");
  foreign_tasks = {"/job:ps/replica:0/task:0"};
  for (const std::string& policy : BuiltinPolicies().Names()) {
    ASSERT_TRUE(Place(policy).ok()) << policy;
    EXPECT_EQ(DeviceOf(product), kPs0) << policy;
    EXPECT_EQ(DeviceOf(with_product), kPs0) << policy;
  }
  // The node's request allows several devices. The placer chooses the device of
  // the foreign task, because Leat has no kernel for the node.
  devices.push_back({.name = "/job:ps/replica:0/task:1/device:CPU:0",
                     .type = "CPU",
                     .incarnation = 1});
  foreign_tasks = {"/job:ps/replica:0/task:1"};
  ASSERT_TRUE(Place().ok());
  EXPECT_EQ(DeviceOf(product), devices.back().name);
  // The node `homeless` requests no device. Such a node is not placed on a
  // foreign task, even if no other task has a kernel for it.
  EXPECT_EQ(DeviceOf(homeless), kCpu0);
}

TEST_F(PlacerTest, PlacesNodesWithoutKernelWhereTheyMayBe) {
  Output product;
  {
    auto scope = b.OnDevice("/job:ps");
    const Output x = b.Placeholder(DType::kComplex64, "x");
    product = op::MatMul(x, x);
  }
  const Output x = b.Placeholder<std::string>("bytes");
  const Operation unknown = AddOp({.op = "DecodeWav", .inputs = {x}});
  Output variable;
  {
    auto scope = b.OnDevice("/cpu:1");
    variable = op::VarHandleOp(b, DType::kComplex64, PartialShape({2}));
  }
  // This node has no kernel, but its colocation group has a request.
  const Operation colocated =
      AddOp({.op = "RngSkip",
             .inputs = {variable, b.Const<int64_t>(1), b.Const<int64_t>(2)}});
  for (const std::string& policy : BuiltinPolicies().Names()) {
    const absl::Status placed = Place(policy);
    ASSERT_TRUE(placed.ok()) << placed;
    EXPECT_EQ(DeviceOf(product), kPs0) << policy;
    EXPECT_THAT(DeviceOf(unknown), AnyOf(kCpu0, kCpu1)) << policy;
    EXPECT_EQ(DeviceOf(colocated), kCpu1) << policy;
  }
}

TEST_F(PlacerTest, PlacesNodesWithoutKernelThoughTheirDeviceIsMissing) {
  const Output bytes = b.Placeholder<std::string>("bytes");
  const auto decode = [&](const char* device) {
    auto scope = b.OnDevice(device);
    return AddOp({.op = "DecodeWav", .inputs = {bytes}});
  };
  const Operation on_gpu = decode("/job:ps/device:GPU:0");
  const Operation on_tpu = decode("/device:TPU:0");
  const Operation on_task = decode("/job:worker/task:7");
  ASSERT_TRUE(Place().ok()) << Place();
  EXPECT_EQ(DeviceOf(on_gpu), kPs0);
  EXPECT_EQ(DeviceOf(on_tpu), kCpu0);
  EXPECT_EQ(DeviceOf(on_task), kCpu0);
}

TEST_F(PlacerTest, NamesNodeRequestAndDevicesWhenThereIsNone) {
  auto device = b.OnDevice("/job:worker/task:7");
  b.Placeholder<float>("lost");
  const absl::Status status = Place();
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const std::string message(status.message());
  EXPECT_EQ(message,
            absl::StrCat("Cannot assign a device for operation lost: {{node "
                         "lost}} was explicitly assigned to /job:worker/task:7 "
                         "but available devices are [ ",
                         kCpu0, ", ", kCpu1, ", ", kPs0,
                         " ]. Make sure the device specification refers to a "
                         "valid device.\n\t(op Placeholder)"));
}

TEST_F(PlacerTest, NamesTheNodeThatAsksNotItsNeighbour) {
  const Output x = b.Placeholder<float>("x");
  auto with = b.ColocateWith(x.operation());
  auto device = b.OnDevice("/job:worker/task:7");
  b.Placeholder<float>("asks");
  EXPECT_THAT(std::string(Place().message()), HasSubstr("operation asks:"));
}

// The requests of a colocation group are merged into one request.
TEST_F(PlacerTest, MergesPartialRequestsOfAGroup) {
  Output x;
  {
    auto device = b.OnDevice("/job:worker");
    x = b.Placeholder<float>("x");
  }
  auto with = b.ColocateWith(x.operation());
  auto device = b.OnDevice("/cpu:1");
  const Output y = b.Placeholder<float>("y");
  for (const std::string& policy : BuiltinPolicies().Names()) {
    ASSERT_TRUE(Place(policy).ok()) << policy;
    EXPECT_EQ(DeviceOf(x), kCpu1) << policy;
    EXPECT_EQ(DeviceOf(y), kCpu1) << policy;
  }
}

TEST_F(PlacerTest, SoftPlacementFallsBackWithinTheTask) {
  auto device = b.OnDevice("/job:ps/device:CPU:5");
  const Output x = b.Placeholder<float>("x");
  EXPECT_FALSE(Place().ok());
  ASSERT_TRUE(Place(kDefaultPolicy, /*soft=*/true).ok());
  EXPECT_EQ(DeviceOf(x), kPs0);
}

TEST_F(PlacerTest, RefusesColocatedNodesWithContradictingRequests) {
  Output x;
  {
    auto device = b.OnDevice("/job:ps");
    x = b.Placeholder<float>("x");
  }
  auto with = b.ColocateWith(x.operation());
  auto device = b.OnDevice("/job:worker");
  op::Neg(b.Const(1.0f));
  const absl::Status status = Place();
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/job:worker"));
}

// tf.compat.v1.train.replica_device_setter gives some consumers of variables to
// the workers, but a consumer must be where its variable is.
TEST_F(PlacerTest, AConsumerOfAVariableYieldsToIt) {
  Output handle, reference;
  Operation update;
  Output read, added;
  {
    auto device = b.OnDevice("/job:ps");
    handle = b.Variable("v", b.Const(1.0f)).handle();
    reference = op::VariableV2(b, Shape(), DType::kFloat);
  }
  {
    auto device = b.OnDevice("/job:worker/cpu:1");
    update = op::AssignAddVariableOp(handle, b.Const(1.0f));
    read = op::VarIsInitializedOp(handle);
    added = op::AssignAdd(reference, b.Const(1.0f));
  }
  for (const std::string& policy : BuiltinPolicies().Names()) {
    for (const bool soft : {false, true}) {
      ASSERT_TRUE(Place(policy, soft).ok()) << policy;
      EXPECT_EQ(DeviceOf(update), kPs0) << policy;
      EXPECT_EQ(DeviceOf(read), kPs0) << policy;
      EXPECT_EQ(DeviceOf(added), kPs0) << policy;
    }
  }
}

// The variable requests no device itself and follows its consumers. If the
// consumers request conflicting devices, the first consumer wins.
TEST_F(PlacerTest, AVariableWithoutARequestGoesToItsConsumers) {
  const Output handle = op::VarHandleOp(b, DType::kFloat, Shape());
  Output first, second;
  {
    auto device = b.OnDevice("/job:ps");
    first = op::VarIsInitializedOp(handle);
  }
  {
    auto device = b.OnDevice("/job:worker");
    second = op::VarIsInitializedOp(handle);
  }
  ASSERT_TRUE(Place().ok());
  for (const Output& output : {handle, first, second}) {
    EXPECT_EQ(DeviceOf(output), kPs0) << output.operation().name();
  }
}

TEST_F(PlacerTest, KeepsWhatWasPlacedBefore) {
  const Output x = b.Placeholder<float>("x");
  ASSERT_TRUE(Place().ok());
  graph.mutable_node(graph.Find("x")).device = graph.InternDevice(kPs0);
  ASSERT_TRUE(
      PlaceGraph(graph, Cluster(),
                 {.policy = BuiltinPolicies().Find(kDefaultPolicy).value()})
          .ok());
  EXPECT_EQ(DeviceOf(x), kPs0);
}

TEST_F(PlacerTest, RoundRobinUsesEveryDevice) {
  std::vector<Output> outputs;
  for (int i = 0; i < 6; ++i) outputs.push_back(b.Placeholder<float>("x"));
  ASSERT_TRUE(Place("round_robin").ok());
  EXPECT_EQ(DeviceOf(outputs[0]), kCpu0);
  EXPECT_EQ(DeviceOf(outputs[1]), kCpu1);
  EXPECT_EQ(DeviceOf(outputs[2]), kPs0);
  EXPECT_EQ(DeviceOf(outputs[3]), kCpu0);
}

TEST_F(PlacerTest, AnUnknownPolicyIsRefusedWithTheKnownOnes) {
  const absl::Status status = BuiltinPolicies().Find("magic").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("greedy, round_robin"));
}

}  // namespace
}  // namespace leat::placer_test
