// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests a chief that initializes variables again on served tasks. The chief
// first clears the tasks that its session may use, and no other tasks.
#include <chrono>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"

namespace leat::reinitialize_test {
namespace {

using testing::Becomes;
using testing::ServedCluster;
using Code = absl::StatusCode;

// Holds a variable that was made without GraphBuilder::Variable. So the init op
// does not initialize it.
struct Extra {
  explicit Extra(GraphBuilder& b) {
    const Output handle = op::VarHandleOp(b, DType::kFloat, PartialShape(),
                                          {.shared_name = "extra"});
    set = op::AssignVariableOp(handle, b.Const(5.0f)).name();
    value = TensorName(op::ReadVariableOp(handle, DType::kFloat)).text;
  }
  std::string set;
  std::string value;
};

TEST(ReinitializeTest, ClearsTheTasksOfItsSessionAndNoOthers) {
  ServedCluster cluster("worker=2,ps=2", {"--grace=1"});
  GraphBuilder others;
  const Scope worker1 = others.OnDevice("/job:worker/task:1");
  const Extra kept(others);
  auto other =
      NewSession(*others.Build(), {.target = cluster.Target({"worker", 1}),
                                   .device_filters = {"/job:worker/task:1"}});
  ASSERT_TRUE(other.ok()) << other.status();
  ASSERT_TRUE((*other)->Run({.targets = {kept.set}}).ok());

  GraphBuilder b;
  std::string value, left_set, left_value;
  {
    const Scope ps0 = b.OnDevice("/job:ps/task:0");
    const Extra left(b);
    left_set = left.set;
    left_value = left.value;
    const Scope ps1 = b.OnDevice("/job:ps/task:1");
    value = TensorName(b.Variable("v", b.Const(1.0f)).value()).text;
  }
  const std::string missing = TensorName(UninitializedVariables(b)).text;
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto chief = RecoverableSession::Create(
      *graph, {.session = {.target = cluster.Target({"worker", 0}),
                           .device_filters = {"/job:ps", "/job:worker/task:0"},
                           .connect_timeout = std::chrono::seconds(2)},
               .init = graph->init_op(),
               .uninitialized = missing,
               .is_chief = true,
               .reinitialize = true,
               .give_up = std::chrono::seconds(60)});
  ASSERT_TRUE(chief.ok()) << chief.status();
  const auto run = [&chief](RunArgs args) {
    return (*chief)->Run(args).status();
  };
  EXPECT_TRUE(run({.targets = {left_set}}).ok());
  EXPECT_TRUE(run({.fetches = {left_value, value}}).ok());
  cluster.Kill({"ps", 1});
  cluster.Start({"ps", 1});
  EXPECT_TRUE(Becomes([&] { return run({.fetches = {value}}).ok(); },
                      absl::Seconds(30)));
  const absl::Status cleared = run({.fetches = {left_value}});
  EXPECT_EQ(cleared.code(), Code::kFailedPrecondition) << cleared;
  const absl::Status untouched =
      (*other)->Run({.fetches = {kept.value}}).status();
  EXPECT_TRUE(untouched.ok()) << untouched;
  EXPECT_TRUE((*chief)->Close().ok());
  EXPECT_TRUE((*other)->Close().ok());
  cluster.ExpectIdle();
  cluster.End();
}

}  // namespace
}  // namespace leat::reinitialize_test
