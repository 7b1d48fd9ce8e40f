// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that a failed step leaves nothing in an executor that could run in the
// next step. Also tests the order in which the executor stores its
// instructions. Each graph here has a matrix product. The executor takes it for
// expensive, so it does not run the graph as a sequential program. The device
// has one thread.
#include "leat/runtime/executor/executor.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::executor_test {
namespace {

std::shared_ptr<Session> NewSession(const Graph& graph) {
  LocalSessionOptions options;
  options.devices.num_threads = 1;
  options.optimizer.level = OptimizeLevel::kOff;
  return NewTestSession(graph, options).value();
}

Tensor Square(float value) { return Tensor::Filled<float>(Shape{2, 2}, value); }

// The op `check` becomes ready last, and the executor runs it first. When
// `check` fails, many updates are ready. These updates must run neither in this
// step nor in the next one.
TEST(ExecutorTest, AStepThatFailsLeavesNothingReadyToTheNext) {
  LEAT_CPU_SESSION_ONLY("a node of a CPU waits for a GPU");
  constexpr int kCounts = 1000;
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2, 2});
  const Variable count = b.Variable("count", b.Const(0.0f));
  const Output one = b.Const(1.0f);
  Output start;
  {
    auto after =
        b.ControlDependencies({count.handle().operation(), one.operation()});
    start = op::Identity(x);
  }
  std::vector<Operation> wide;
  {
    auto after = b.ControlDependencies({start.operation()});
    for (int i = 0; i < kCounts; ++i) {
      wide.push_back(op::AssignAddVariableOp(count.handle(), one));
    }
  }
  const Output check = op::CheckNumerics(start, "start");
  wide.push_back(op::MatMul(check, check).operation());
  const Operation all = b.Group(wide);
  const Output read = count.value();
  const Graph graph = b.Build().value();
  const auto session = NewSession(graph);
  ASSERT_TRUE(session->Run({.targets = {graph.init_op()}}).ok());
  const auto run = [&](float value) {
    return session->Run({.feeds = {{x, Square(value)}}, .targets = {all}})
        .status();
  };
  const auto counted = [&] {
    return session->Run({.fetches = {read}}).value()[0].scalar<float>();
  };
  for (int steps = 1; steps <= 3; ++steps) {
    const float before = counted();
    EXPECT_TRUE(absl::IsInvalidArgument(run(NAN)));
    EXPECT_EQ(counted(), before);
    ASSERT_EQ(run(1), absl::OkStatus());
    EXPECT_EQ(counted(), before + kCounts);
  }
}

TEST(ExecutorTest, InstructionsLieInTheOrderInWhichOneThreadRunsThem) {
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", {2, 2});
  const Output one = b.Const(Square(1));
  std::vector<Output> ends = {x, one, x, one};
  for (int depth = 0; depth < 3; ++depth) {
    for (Output& end : ends) end = op::Neg(end);
  }
  const Output sum = op::AddN(ends);
  const Output product = op::MatMul(sum, sum);
  const auto session = NewSession(b.Build().value());
  pb::RunMetadata metadata;
  RunArgs args{.feeds = {{x, Square(1)}}, .fetches = {product}};
  args.options.trace_level = TraceLevel::kFull;
  args.options.output_partition_graphs = true;
  ASSERT_TRUE(session->Run(args, &metadata).ok());
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  ASSERT_EQ(metadata.partition_graphs_size(), 1);
  std::vector<std::string> run, stored;
  for (const auto& node : metadata.step_stats().dev_stats(0).node_stats()) {
    run.push_back(node.node_name());  // ordered by their start times
  }
  for (const auto& node : metadata.partition_graphs(0).node()) {
    stored.push_back(node.name());
  }
  EXPECT_THAT(stored, ::testing::SizeIs(17));
  EXPECT_EQ(run, stored);
}

}  // namespace
}  // namespace leat::executor_test
