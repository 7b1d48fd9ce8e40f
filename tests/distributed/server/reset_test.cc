// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests MasterService.Reset: which sessions it closes and which containers it
// empties.
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/task_client.h"
#include "leat/tests/testing/test_service.h"

namespace leat::reset_test {
namespace {

using ::leat::testing::Eventually;
using ::leat::testing::InProcessCluster;
using ::leat::testing::SimulatedClock;
using ::leat::testing::TaskClient;
using ::testing::HasSubstr;
using Code = absl::StatusCode;

const TaskId kPs = {"ps", 0};
const TaskId kWorker = {"worker", 0};

class ResetTest : public ::testing::Test {
 protected:
  ResetTest() {
    {
      const Scope ps = b_.OnDevice("/job:ps/task:0");
      on_ps_ = b_.Variable("on_ps", b_.Const(1.0f));
      const Output queue = op::FIFOQueueV2(b_, {DType::kFloat});
      taken_ = op::QueueDequeueV2(queue, {DType::kFloat})[0];
    }
    const Scope worker = b_.OnDevice("/job:worker/task:0");
    on_worker_ = b_.Variable("on_worker", b_.Const(2.0f));
  }
  void TearDown() override { EXPECT_EQ(cluster_.Leaks(), ""); }

  // Makes a session and initializes the variables.
  std::shared_ptr<Session> NewSession(const TaskId& master) {
    const Graph graph = *b_.Build();
    auto session = cluster_.NewSession(graph, master);
    EXPECT_TRUE(session.ok()) << session.status();
    const absl::Status initialized =
        (*session)->Run({.targets = {graph.init_op()}}).status();
    EXPECT_TRUE(initialized.ok()) << initialized;
    return *std::move(session);
  }
  absl::Status Reset(const pb::ResetRequest& request) {
    pb::ResetResponse response;
    return client_.Call(methods::kReset, request, response);
  }
  // Reads `output` in a new session without initializing variables. Returns the
  // code of the step's status.
  Code Read(const Output& output) {
    auto session = cluster_.NewSession(*b_.Build(), kWorker);
    EXPECT_TRUE(session.ok()) << session.status();
    return (*session)->Run({.fetches = {output}}).status().code();
  }

  GraphBuilder b_;
  Variable on_ps_, on_worker_;
  Output taken_;
  SimulatedClock clock_;
  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}}};
  const std::unique_ptr<Transport> transport_ =
      *cluster_.transports().Create("in-process");
  TaskClient client_{*transport_, cluster_.Address(kWorker)};
};

TEST_F(ResetTest, EmptiesAllTasksAndClosesTheMastersSessions) {
  auto session = NewSession(kWorker);
  auto of_another_master = NewSession(kPs);
  EXPECT_EQ(Read(on_ps_.value()), Code::kOk);
  EXPECT_EQ(Read(on_worker_.value()), Code::kOk);
  const absl::Status status = Reset({});
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(Read(on_ps_.value()), Code::kFailedPrecondition);
  EXPECT_EQ(Read(on_worker_.value()), Code::kFailedPrecondition);
  const absl::Status closed =
      session->Run({.fetches = {on_worker_.value()}}).status();
  EXPECT_EQ(closed.code(), Code::kAborted) << closed;
  EXPECT_THAT(std::string(closed.message()), HasSubstr("is not found"));
  // The session of the other master still exists, but the variables that it
  // uses are gone.
  EXPECT_EQ(
      of_another_master->Run({.fetches = {on_ps_.value()}}).status().code(),
      Code::kFailedPrecondition);
}

TEST_F(ResetTest, EndsStepsThatWait) {
  auto session = NewSession(kWorker);
  absl::Status waiting;
  Thread step("step",
              [&] { waiting = session->Run({.fetches = {taken_}}).status(); });
  EXPECT_TRUE(Eventually(
      [this] { return cluster_.server(kPs).counters().running == 1; }));
  EXPECT_TRUE(Reset({}).ok());
  step.Join();
  EXPECT_EQ(waiting.code(), Code::kAborted) << waiting;
  EXPECT_THAT(std::string(waiting.message()),
              HasSubstr("the cluster was reset"));
}

TEST_F(ResetTest, LeavesOtherContainersAlone) {
  NewSession(kWorker);
  pb::ResetRequest request;
  request.add_container("localhost");  // no task's default container
  EXPECT_TRUE(Reset(request).ok());
  EXPECT_EQ(Read(on_ps_.value()), Code::kOk);
  EXPECT_EQ(Read(on_worker_.value()), Code::kOk);
  request.set_container(0, "ps");
  EXPECT_TRUE(Reset(request).ok());
  EXPECT_EQ(Read(on_ps_.value()), Code::kFailedPrecondition);
  EXPECT_EQ(Read(on_worker_.value()), Code::kOk);
}

TEST_F(ResetTest, EmptiesANamedContainerAlone) {
  Variable in_mine;
  {
    const Scope ps = b_.OnDevice("/job:ps/task:0");
    in_mine = b_.Variable("in_mine", b_.Const(3.0f), {.container = "mine"});
  }
  const auto reset = [this](const std::string& container) {
    return ResetTasks(cluster_.Target(kWorker),
                      {.transports = &cluster_.transports()}, {&container, 1});
  };
  NewSession(kWorker);
  EXPECT_TRUE(reset("ps").ok());
  EXPECT_EQ(Read(in_mine.value()), Code::kOk);
  EXPECT_EQ(Read(on_ps_.value()), Code::kFailedPrecondition);
  NewSession(kWorker);
  EXPECT_TRUE(reset("mine").ok());
  EXPECT_EQ(Read(in_mine.value()), Code::kFailedPrecondition);
  EXPECT_EQ(Read(on_ps_.value()), Code::kOk);
}

TEST_F(ResetTest, KeepsToItsDeviceFilters) {
  NewSession(kWorker);
  pb::ResetRequest request;
  request.add_device_filters("/job:worker");
  EXPECT_TRUE(Reset(request).ok());
  EXPECT_EQ(Read(on_ps_.value()), Code::kOk);
  EXPECT_EQ(Read(on_worker_.value()), Code::kFailedPrecondition);
  request.set_device_filters(0, "/job");
  EXPECT_EQ(Reset(request).code(), Code::kInvalidArgument);
}

TEST_F(ResetTest, EmptiesTheMastersTaskWhateverTheFiltersSay) {
  NewSession(kWorker);
  pb::ResetRequest request;
  request.add_device_filters("/job:ps");
  EXPECT_TRUE(Reset(request).ok());
  EXPECT_EQ(Read(on_ps_.value()), Code::kFailedPrecondition);
  EXPECT_EQ(Read(on_worker_.value()), Code::kFailedPrecondition);
}

TEST_F(ResetTest, NamesATaskThatDoesNotAnswer) {
  NewSession(kWorker);
  cluster_.Kill(kPs);
  const absl::Status status = Reset({});
  EXPECT_EQ(status.code(), Code::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/job:ps/replica:0/task:0"));
  cluster_.Start(kPs);
  // The reset has cleared the other tasks although one task was missing.
  EXPECT_EQ(Read(on_worker_.value()), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace leat::reset_test
