// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests steps over two tasks that send each other small tensors in bundles
// (partitioner/bundles.h). In a local session the two tasks are two devices.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/cluster/cluster.h"
#include "leat/distributed/server/server.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/bundles.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/graph.pb.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/leaks.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/testing/test_service.h"

namespace leat::bundled_tensors_test {
namespace {

using ::testing::HasSubstr;

// Is the timeout of steps. It makes the test fail if a step hangs.
constexpr std::chrono::seconds kTimeout(30);

bool IsLocal() { return TestedSession() == SessionKind::kLocal; }
// Here() is the device of the session's master. There() is the device of the
// other task.
const char* Here() { return IsLocal() ? "/cpu:0" : "/job:worker"; }
const char* There() { return IsLocal() ? "/cpu:1" : "/job:ps"; }

class BundledTensorsTest : public ::testing::Test {
 protected:
  void TearDown() override {
    session_.reset();
    for (const auto& server : servers_) {
      EXPECT_EQ(testing::LeaksOf(*server), "");
    }
  }

  // Builds the graph, makes a session for it, and runs the initializers.
  void Start() {
    const auto graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    if (!IsLocal()) {
      ASSERT_NO_FATAL_FAILURE(StartServers());
    }
    auto session =
        IsLocal() ? NewTestSession(
                        *graph, {.devices = {.num_cpus = 2, .num_threads = 2}})
                  : NewRemoteSession(*graph, servers_.back()->target(),
                                     {.transports = Transports()});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const auto init = Run({.targets = {graph->init_op()}});
    ASSERT_TRUE(init.ok()) << init.status();
  }

  absl::StatusOr<std::vector<Tensor>> Run(RunArgs args) {
    args.options.timeout = kTimeout;
    return session_->Run(args);
  }

  // Runs a step and expects that `count` of its tensors are sent in bundles.
  void ExpectBundled(RunArgs args, int count) {
    args.options.timeout = kTimeout;
    args.options.output_partition_graphs = true;
    pb::RunMetadata metadata;
    const auto out = session_->Run(args, &metadata);
    ASSERT_TRUE(out.ok()) << out.status();
    int bundled = 0;
    for (const pb::GraphDef& graph : metadata.partition_graphs()) {
      for (const pb::NodeDef& node : graph.node()) {
        if (node.attr().count(kBundleAttr) > 0) ++bundled;
      }
    }
    EXPECT_EQ(bundled, IsLocal() ? 0 : count);
  }

  Variable NewVariable(Tensor value, const char* device = There()) {
    auto scope = b.OnDevice(device);
    return b.Variable("v", b.Const(std::move(value)));
  }
  Variable NewVariable(float value, const char* device = There()) {
    return NewVariable(Tensor::Scalar(value), device);
  }
  // Returns a variable on this task with the shape of a queue's element.
  Variable NewElement() {
    return NewVariable(Tensor::Vector<float>({0}), Here());
  }
  // Stores `x` in the variable `where` of this task.
  Operation Store(const Output& x, const Variable& where) {
    auto here = b.OnDevice(Here());
    return op::AssignVariableOp(where.handle(), x);
  }
  Output ReadAfter(const Operation& stored, const Variable& where) {
    auto here = b.OnDevice(Here());
    auto after = b.ControlDependencies({stored});
    return op::ReadVariableOp(where.handle(), DType::kFloat);
  }

  // Returns a queue on the other task. Its elements have a known shape.
  Output NewQueue() {
    auto there = b.OnDevice(There());
    return op::FIFOQueueV2(b, {DType::kFloat}, {.capacity = 1});
  }
  Output Take(const Output& queue) {
    auto there = b.OnDevice(There());
    return op::Reshape(op::QueueDequeueV2(queue, {DType::kFloat})[0],
                       Tensor::Vector<int32_t>({1}));
  }
  Operation Put(const Output& queue, const Output& element) {
    auto there = b.OnDevice(There());
    return op::QueueEnqueueV2(queue, {element});
  }

  GraphBuilder b;

 private:
  // Returns the transports of `network_`. Returns null if there is no network;
  // then servers use the library's own transports.
  const TransportRegistry* Transports() const {
    return network_ == nullptr ? nullptr : &network_->transports();
  }
  // Starts one server for each task. The master's server starts last.
  void StartServers() {
    const bool is_grpc = TestedSession() == SessionKind::kGrpc;
    if (!is_grpc) network_ = std::make_shared<testing::InProcessNetwork>();
    const auto address = [&](const std::string& job, int port) {
      return is_grpc ? absl::StrCat("unix:", folder_.Path(job))
                     : absl::StrCat("localhost:", port);
    };
    const auto cluster =
        ClusterSpec::Create({{"ps", {{0, address("ps", 1001)}}},
                             {"worker", {{0, address("worker", 1002)}}}});
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    for (const char* job : {"ps", "worker"}) {
      auto server =
          Server::Start({.config = {.cluster = *cluster, .task = {.job = job}},
                         .devices = {.num_threads = 2},
                         .transport = is_grpc ? "grpc" : "in-process",
                         .transports = Transports()});
      ASSERT_TRUE(server.ok()) << server.status();
      servers_.push_back(*std::move(server));
    }
  }

  const TemporaryFolder folder_;
  std::shared_ptr<testing::InProcessNetwork> network_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::shared_ptr<Session> session_;
};

// One task holds the parameters, and the other one computes their gradients.
TEST_F(BundledTensorsTest, TrainWithParametersAndUpdatesTogether) {
  constexpr float kRate = 0.25f;
  float expected[] = {1, 2, 4};
  std::vector<Variable> parameters;
  for (const float value : expected) {
    parameters.push_back(NewVariable(value));
  }
  Output x, y;
  std::vector<Output> updates;
  {
    auto here = b.OnDevice(Here());
    x = b.Placeholder<float>("x");
    const Output scalar = op::Reshape(x, Tensor::Vector<int32_t>({}));
    const Output square = op::Square(scalar);
    y = parameters[0].value() * scalar + parameters[1].value() +
        parameters[2].value() * square;
    updates = {y * scalar * kRate, y * kRate, y * square * kRate};
  }
  std::vector<Operation> applied;
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto there = b.OnDevice(There());
    applied.push_back(
        op::AssignSubVariableOp(parameters[i].handle(), updates[i]));
  }
  Operation train;
  {
    auto here = b.OnDevice(Here());
    train = b.Group(applied, "train");
  }
  ASSERT_NO_FATAL_FAILURE(Start());
  for (const float value : {0.5f, -0.25f, 0.5f, 0.75f}) {
    const auto out = Run({.feeds = {{x, Tensor::Scalar(value)}},
                          .fetches = {y},
                          .targets = {train}});
    ASSERT_TRUE(out.ok()) << out.status();
    const float y_now =
        expected[0] * value + expected[1] + expected[2] * value * value;
    EXPECT_NEAR((*out)[0].scalar<float>(), y_now, 1e-5f);
    expected[0] -= y_now * value * kRate;
    expected[1] -= y_now * kRate;
    expected[2] -= y_now * value * value * kRate;
  }
  const auto trained =
      Run({.fetches = {parameters[0].value(), parameters[1].value(),
                       parameters[2].value()}});
  ASSERT_TRUE(trained.ok()) << trained.status();
  for (size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_NEAR((*trained)[i].scalar<float>(), expected[i], 1e-5f) << i;
  }
  // One bundle has all parameters, and another bundle has all updates.
  ExpectBundled({.feeds = {{x, Tensor::Scalar(0.5f)}},
                 .fetches = {y},
                 .targets = {train}},
                6);
}

TEST_F(BundledTensorsTest, ADeadTensorComesWithLiveOnes) {
  const Variable v = NewVariable(3), w = NewVariable(5);
  Output p, yes, no, merged, other;
  {
    auto there = b.OnDevice(There());
    p = b.Placeholder<bool>("p");
    const auto branches = op::Switch(v.value(), p);
    yes = branches.output_true;
    no = branches.output_false;
  }
  {
    auto here = b.OnDevice(Here());
    merged = op::Merge({op::Neg(yes), op::Square(no)}).output;
    other = op::Neg(w.value());
  }
  ASSERT_NO_FATAL_FAILURE(Start());
  for (int i = 0; i < 6; ++i) {
    const bool taken = i % 2 == 0;
    const auto out = Run(
        {.feeds = {{p, Tensor::Scalar(taken)}}, .fetches = {merged, other}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), taken ? -3 : 9);
    EXPECT_EQ((*out)[1].scalar<float>(), -5);
  }
  // One bundle has three tensors: both outputs of the Switch, one of which is
  // dead, and the value of w.
  ExpectBundled(
      {.feeds = {{p, Tensor::Scalar(true)}}, .fetches = {merged, other}}, 3);
}

// `neg` and `square` are computed from v and wait for nothing else. The queue's
// element is sent to the other task only after `neg` has arrived on the
// master's task. So the element must not be in the same bundle as `neg` or
// `square`. The master's task only stores the values, so nothing else orders
// the transfers.
TEST_F(BundledTensorsTest, WhatATensorWaitsForDoesNotWaitForIt) {
  const Variable v = NewVariable(Tensor::Vector<float>({3}));
  const Variable neg_here = NewElement(), square_here = NewElement();
  const Variable last = NewElement();
  Output neg, square;
  Operation next;
  {
    auto there = b.OnDevice(There());
    neg = op::Neg(v.value());
    square = op::Square(v.value());
    next = op::AssignAddVariableOp(v.handle(), Tensor::Vector<float>({1}));
  }
  const Output queue = NewQueue();
  const Operation put = Put(queue, ReadAfter(Store(neg, neg_here), neg_here));
  const std::vector<TensorName> targets = {Store(square, square_here), put,
                                           Store(Take(queue), last)};
  ASSERT_NO_FATAL_FAILURE(Start());
  for (int i = 0; i < 50; ++i) {
    const auto step = Run({.targets = targets});
    ASSERT_TRUE(step.ok()) << "step " << i << ": " << step.status();
    const auto out = Run(
        {.fetches = {last.value(), square_here.value()}, .targets = {next}});
    ASSERT_TRUE(out.ok()) << out.status();
    const auto value = static_cast<float>(3 + i);
    EXPECT_EQ((*out)[0].scalar<float>(), -value);
    EXPECT_EQ((*out)[1].scalar<float>(), value * value);
  }
  // Only the two values that are computed from v are bundled.
  ExpectBundled({.targets = targets}, 2);
}

// The second element is enqueued only after the first element has arrived, so
// the two elements must not be in the same bundle. The two values to enqueue
// are sent in the other direction. These values must not be in the same bundle
// either.
TEST_F(BundledTensorsTest, QueuesInARowDoNotWaitForEachOther) {
  const Variable v = NewVariable(Tensor::Vector<float>({3}));
  const Variable neg_here = NewElement(), last = NewElement();
  const Variable between = NewElement();
  Output neg;
  {
    auto there = b.OnDevice(There());
    neg = op::Neg(v.value());
  }
  const Output first = NewQueue(), second = NewQueue();
  const Operation put_first =
      Put(first, ReadAfter(Store(neg, neg_here), neg_here));
  const Operation put_second =
      Put(second, ReadAfter(Store(Take(first), between), between));
  const std::vector<TensorName> targets = {put_first, put_second,
                                           Store(Take(second), last)};
  ASSERT_NO_FATAL_FAILURE(Start());
  for (int i = 0; i < 50; ++i) {
    const auto step = Run({.targets = targets});
    ASSERT_TRUE(step.ok()) << "step " << i << ": " << step.status();
  }
  const auto out = Run({.fetches = {last.value()}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), -3);
  ExpectBundled({.targets = targets}, 0);
}

TEST_F(BundledTensorsTest, AnErrorOfOneIsTheSteps) {
  const Variable v = NewVariable(3);
  const Variable index = NewVariable(Tensor::Scalar(int32_t{7}));
  const Variable picked_here = NewVariable(0, Here());
  const Variable square_here = NewVariable(0, Here());
  Output picked, square;
  Operation repair;
  {
    auto there = b.OnDevice(There());
    picked =
        op::GatherV2(b.Const(Tensor::Vector({1.0f, 2.0f})), index.value(), 0);
    square = op::Square(v.value());
    repair = op::AssignSubVariableOp(index.handle(), 6);
  }
  const std::vector<TensorName> targets = {Store(picked, picked_here),
                                           Store(square, square_here)};
  ASSERT_NO_FATAL_FAILURE(Start());
  for (int i = 0; i < 10; ++i) {
    const absl::Status status = Run({.targets = targets}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(picked.operation().name()));
  }
  const auto repaired = Run({.targets = {repair}});
  ASSERT_TRUE(repaired.ok()) << repaired.status();
  const auto step = Run({.targets = targets});
  ASSERT_TRUE(step.ok()) << step.status();
  const auto out = Run({.fetches = {picked_here.value(), square_here.value()}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 2);
  EXPECT_EQ((*out)[1].scalar<float>(), 9);
  ExpectBundled({.targets = targets}, 2);
}

}  // namespace
}  // namespace leat::bundled_tensors_test
