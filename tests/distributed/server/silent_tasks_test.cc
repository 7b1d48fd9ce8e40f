// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests a server in a cluster with a task that stays silent. Neither the server
// nor its callers may hang.
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/distributed/server/server.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/ops.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/master.pb.h"
#include "leat/tests/distributed/scripted_task.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_network.h"
#include "leat/tests/testing/leaks.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/task_client.h"
#include "leat/tests/testing/test_service.h"

namespace leat::silent_tasks_test {
namespace {

using ::leat::testing::Eventually;
using ::leat::testing::InProcessNetwork;
using ::leat::testing::ScriptedTask;
using ::leat::testing::SimulatedClock;
using ::leat::testing::StartedCall;
using ::leat::testing::TaskClient;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = absl::StatusCode;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kPs[] = "/job:ps/replica:0/task:0";
constexpr char kWorker[] = "/job:worker/replica:0/task:0";
constexpr char kPsAddress[] = "127.0.0.1:1";
constexpr char kWorkerAddress[] = "127.0.0.1:2";

constexpr char kDequeue[] = R"(
  node { name: "q" op: "FIFOQueueV2" device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
  node { name: "dequeue" op: "QueueDequeueV2" input: "q"
         device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
)";

class SilentTasksTest : public ::testing::Test {
 protected:
  SilentTasksTest() {
    {
      const Scope ps = b_.OnDevice("/job:ps/task:0");
      on_ps_ = op::NoOp(b_);
    }
    const Scope worker = b_.OnDevice("/job:worker/task:0");
    on_worker_ = op::NoOp(b_);
  }

  void Start(const ServerLimits& limits = {}) {
    const auto cluster = ClusterSpec::Create(
        {{"ps", {{0, kPsAddress}}}, {"worker", {{0, kWorkerAddress}}}});
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    auto server = Server::Start(
        {.config = {.cluster = *cluster, .task = {.job = "worker"}},
         .devices = {.num_threads = 2},
         .limits = limits,
         .transport = "in-process",
         .transports = &network_->transports()});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  absl::StatusOr<std::shared_ptr<Session>> NewSession() {
    return NewRemoteSession(*b_.Build(),
                            absl::StrCat("in-process://", kWorkerAddress),
                            {.transports = &network_->transports()});
  }

  // Starts a RunStep call as the session's client does. The test can cancel the
  // call.
  std::shared_ptr<StartedCall> StartStep(const std::string& session,
                                         const Operation& target) {
    pb::RunStepRequest request;
    request.set_session_handle(session);
    request.add_target(target.name());
    return client_.Start(methods::kRunStep, request);
  }
  std::shared_ptr<StartedCall> StartCreating() {
    pb::CreateSessionRequest request;
    const absl::Status exported =
        ExportGraphDef(*b_.Build(), *request.mutable_graph_def());
    EXPECT_TRUE(exported.ok()) << exported;
    return client_.Start(methods::kCreateSession, request);
  }
  std::string Create() {
    const auto answer = StartCreating()->Wait();
    EXPECT_TRUE(answer.ok()) << answer.status();
    pb::CreateSessionResponse response;
    if (answer.ok()) {
      EXPECT_TRUE(response.ParseFromString(answer->header));
    }
    return response.session_handle();
  }

  SimulatedClock clock_;
  GraphBuilder b_;
  Operation on_ps_, on_worker_;
  const std::shared_ptr<InProcessNetwork> network_ =
      std::make_shared<InProcessNetwork>(2, clock_);
  const std::unique_ptr<Transport> transport_ =
      *network_->transports().Create("in-process");
  TaskClient client_{*transport_, kWorkerAddress};
  ScriptedTask ps_{kPs, kPsAddress, network_};
  std::unique_ptr<Server> server_;
};

TEST_F(SilentTasksTest, AStepWaitsForItsPlanUntilItsTimeout) {
  Start();
  const auto session = NewSession();
  ASSERT_TRUE(session.ok()) << session.status();
  ps_.BeSilent({methods::kRegisterGraph});
  absl::Status patient = absl::UnknownError("still running");
  Thread other("patient", [&] {
    patient = (*session)->Run({.targets = {on_ps_}}).status();
  });
  EXPECT_TRUE(Eventually(
      [this] { return ps_.num_calls(methods::kRegisterGraph) == 1; }));
  const Clock::time_point begun = clock_.Now();
  const absl::Status status =
      (*session)
          ->Run({.targets = {on_ps_}, .options = {.timeout = milliseconds(50)}})
          .status();
  EXPECT_EQ(clock_.Now() - begun, milliseconds(50));
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("timeout of 50ms was over before it could begin"));
  // The other step did not time out. It still waits for the plan, so the plan
  // is still being made.
  ps_.SpeakUp();
  other.Join();
  EXPECT_TRUE(patient.ok()) << patient;
  EXPECT_EQ(ps_.num_calls(methods::kRegisterGraph), 1);
  EXPECT_TRUE((*session)->Run({.targets = {on_ps_}}).ok());
}

TEST_F(SilentTasksTest, AStepWhoseClientIsGoneDoesNotWaitForItsPlan) {
  Start();
  const std::string session = Create();
  ps_.BeSilent({methods::kRegisterGraph});
  const auto step = StartStep(session, on_ps_);
  EXPECT_TRUE(Eventually(
      [this] { return ps_.num_calls(methods::kRegisterGraph) == 1; }));
  step->Cancel();
  EXPECT_EQ(step->Wait().status().code(), Code::kCancelled);
  // A server that stops waits for running calls. It does not wait for a plan
  // that no call waits for.
  const Clock::time_point begun = clock_.Now();
  server_->Stop(std::chrono::hours(1));
  EXPECT_EQ(clock_.Now() - begun, seconds(0));
}

TEST_F(SilentTasksTest, ATaskThatDoesNotTakeItsGraphIsNamed) {
  Start({.setup_timeout = seconds(4)});
  const auto session = NewSession();
  ASSERT_TRUE(session.ok()) << session.status();
  ps_.BeSilent({methods::kRegisterGraph});
  const absl::Status status = (*session)->Run({.targets = {on_ps_}}).status();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(kPs), HasSubstr("(--setup-timeout)")));
  EXPECT_TRUE((*session)->Run({.targets = {on_worker_}}).ok());
  // When the task answers again, the master registers the graph again.
  ps_.SpeakUp();
  EXPECT_TRUE((*session)->Run({.targets = {on_ps_}}).ok());
  EXPECT_TRUE((*session)->Close().ok());
  EXPECT_EQ(testing::LeaksOf(*server_), "");
}

TEST_F(SilentTasksTest, ATaskThatDoesNotMakeItsSessionIsNamed) {
  Start({.setup_timeout = seconds(2)});
  ps_.BeSilent({methods::kCreateWorkerSession, methods::kDeleteWorkerSession});
  const Clock::time_point begun = clock_.Now();
  const absl::Status status = NewSession().status();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(kPs), HasSubstr("(--setup-timeout)")));
  // The client gets its answer although the task has not deleted the session.
  EXPECT_EQ(clock_.Now() - begun, seconds(2));
  EXPECT_EQ(testing::LeaksOf(*server_), "");
  EXPECT_TRUE(Eventually(
      [this] { return ps_.num_calls(methods::kDeleteWorkerSession) == 1; }));
}

TEST_F(SilentTasksTest, StopsWhileItPlans) {
  Start();
  const auto session = NewSession();
  ASSERT_TRUE(session.ok()) << session.status();
  ps_.BeSilent();
  absl::Status status;
  Thread step("step", [&] {
    status = (*session)->Run({.targets = {on_ps_}}).status();
  });
  EXPECT_TRUE(Eventually(
      [this] { return ps_.num_calls(methods::kRegisterGraph) == 1; }));
  const Clock::time_point begun = clock_.Now();
  server_->Stop(std::chrono::nanoseconds(0));
  // Stop waits for replies during reply_grace, which is one second.
  EXPECT_EQ(clock_.Now() - begun, seconds(1));
  step.Join();
  EXPECT_EQ(status.code(), Code::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("is stopping"));
}

TEST_F(SilentTasksTest, StopsWhileItMakesASession) {
  Start();
  ps_.BeSilent({methods::kGetStatus});
  const auto call = StartCreating();
  EXPECT_TRUE(
      Eventually([this] { return ps_.num_calls(methods::kGetStatus) == 1; }));
  server_->Stop(std::chrono::nanoseconds(0));
  const absl::Status status = call->Wait().status();
  EXPECT_EQ(status.code(), Code::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("is stopping"));
}

// The code UNAVAILABLE tells the client that it may try again.
TEST_F(SilentTasksTest, StopsWhileTasksMakeTheirPartOfASession) {
  Start();
  ps_.BeSilent({methods::kCreateWorkerSession});
  const auto call = StartCreating();
  EXPECT_TRUE(Eventually(
      [this] { return ps_.num_calls(methods::kCreateWorkerSession) == 1; }));
  server_->Stop(std::chrono::nanoseconds(0));
  const absl::Status status = call->Wait().status();
  EXPECT_EQ(status.code(), Code::kUnavailable) << status;
  EXPECT_EQ(status.message(),
            absl::StrCat("the master of ", kWorker, " is stopping"));
}

TEST_F(SilentTasksTest, StoppingEndsAListOfDevices) {
  Start();
  ps_.BeSilent({methods::kGetStatus});
  const auto list =
      client_.Start(methods::kListDevices, pb::ListDevicesRequest());
  EXPECT_TRUE(
      Eventually([this] { return ps_.num_calls(methods::kGetStatus) == 1; }));
  server_->Stop(std::chrono::nanoseconds(0));
  const absl::Status status = list->Wait().status();
  EXPECT_EQ(status.code(), Code::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("is stopping"));
}

// Two steps run: a step of the server's own client on the silent task, and a
// step of another master on the server.
TEST_F(SilentTasksTest, StoppingEndsStepsBeforeItWaitsForSilentTasks) {
  Start();
  const std::string session = Create();
  ASSERT_TRUE(StartStep(session, on_ps_)->Wait().ok());
  const auto graph =
      client_.Register("of another", absl::Substitute(kDequeue, kWorker));
  ASSERT_TRUE(graph.ok()) << graph.status();
  ps_.BeSilent();
  const auto own = StartStep(session, on_ps_);
  const auto others = client_.Run("of another", *graph, 7);
  EXPECT_TRUE(Eventually([this] {
    return ps_.num_calls(methods::kRunGraph) == 2 &&
           server_->counters().running == 1;
  }));
  const Clock::time_point begun = clock_.Now();
  Thread stop("stop", [this] { server_->Stop(milliseconds(50)); });
  EXPECT_EQ(others->Wait().status().code(), Code::kUnavailable);
  EXPECT_EQ(own->Wait().status().code(), Code::kUnavailable);
  EXPECT_EQ(clock_.Now() - begun, milliseconds(50));
  stop.Join();
  EXPECT_EQ(clock_.Now() - begun, milliseconds(1050));
  // The server nevertheless told the silent task that both steps have ended.
  EXPECT_TRUE(Eventually(
      [this] { return ps_.num_calls(methods::kCleanupGraph) == 2; }));
}

TEST_F(SilentTasksTest, StoppingEndsAReset) {
  Start();
  ps_.BeSilent({methods::kCleanupAll});
  const auto reset = client_.Start(methods::kReset, pb::ResetRequest());
  EXPECT_TRUE(
      Eventually([this] { return ps_.num_calls(methods::kCleanupAll) == 1; }));
  server_->Stop(std::chrono::nanoseconds(0));
  const absl::Status status = reset->Wait().status();
  EXPECT_EQ(status.code(), Code::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("is stopping"));
}

TEST_F(SilentTasksTest, AResetGetsTheGraceOfAStoppingServer) {
  Start();
  ps_.BeSilent({methods::kCleanupAll});
  const auto reset = client_.Start(methods::kReset, pb::ResetRequest());
  EXPECT_TRUE(
      Eventually([this] { return ps_.num_calls(methods::kCleanupAll) == 1; }));
  Thread stop("stop", [this] { server_->Stop(std::chrono::hours(1)); });
  EXPECT_TRUE(Eventually([this] {
    return absl::IsUnavailable(StartCreating()->Wait().status());
  }));
  ps_.SpeakUp();
  const absl::Status status = reset->Wait().status();
  EXPECT_TRUE(status.ok()) << status;
  stop.Join();
}

TEST_F(SilentTasksTest, AClientThatGoesWhileItsSessionWaitsLeavesNone) {
  Start();
  ps_.BeSilent({methods::kGetStatus});
  const auto call = StartCreating();
  EXPECT_TRUE(
      Eventually([this] { return ps_.num_calls(methods::kGetStatus) == 1; }));
  call->Cancel();
  EXPECT_EQ(call->Wait().status().code(), Code::kCancelled);
  EXPECT_EQ(testing::LeaksOf(*server_), "");
  const Clock::time_point begun = clock_.Now();
  server_->Stop(std::chrono::hours(1));  // The client's call has ended.
  EXPECT_EQ(clock_.Now() - begun, seconds(0));
}

TEST_F(SilentTasksTest, AClientThatGoesWhileItsSessionIsMadeLeavesNone) {
  Start();
  ps_.BeSilent({methods::kCreateWorkerSession});
  const auto call = StartCreating();
  EXPECT_TRUE(Eventually([this] {
    return ps_.num_calls(methods::kCreateWorkerSession) == 1 &&
           server_->counters().sessions == 1;
  }));
  call->Cancel();
  EXPECT_EQ(call->Wait().status().code(), Code::kCancelled);
  EXPECT_EQ(testing::LeaksOf(*server_), "");
  EXPECT_TRUE(Eventually(
      [this] { return ps_.num_calls(methods::kDeleteWorkerSession) == 1; }));
}

}  // namespace
}  // namespace leat::silent_tasks_test
