// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that a step which waits for one task ends when another task of its
// session is lost.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/distributed/wire/methods.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/call_faults.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/in_process_cluster.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::session_watch_test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using testing::CallFaults;
using testing::Eventually;
using testing::FaultPlan;
using ::testing::HasSubstr;
using testing::InProcessCluster;
using testing::SimulatedClock;
using Code = absl::StatusCode;

const TaskId kWorker = {"worker", 0};

class SessionWatchTest : public ::testing::Test {
 protected:
  SessionWatchTest() {
    faults_->SetEnabled(false);
    for (int i = 0; i < 2; ++i) {
      const Scope ps = b_.OnDevice(absl::StrCat("/job:ps/task:", i));
      none_[i] = op::NoOp(b_);
      const Output queue = op::FIFOQueueV2(b_, {DType::kFloat});
      size_[i] = op::QueueSizeV2(queue);
      token_[i] = op::QueueDequeueV2(queue, {DType::kFloat})[0];
    }
    session_ = *cluster_.NewSession(*b_.Build(), kWorker);
  }
  // Runs a step that uses the queues of both parameter servers.
  void UseAll() {
    EXPECT_EQ(
        session_->Run({.fetches = {size_[0].name(), size_[1].name()}}).status(),
        absl::OkStatus());
  }
  // Begins a step that waits for a token of parameter server `i`.
  void WaitForToken(int i) {
    waiting_ = Thread("waiting", [this, i] {
      status_ = session_->Run({.fetches = {token_[i].name()}}).status();
      has_ended_ = true;
    });
    EXPECT_TRUE(Eventually([&] {
      return cluster_.server({"ps", i}).counters().running == 1;
    }));
  }

  SimulatedClock clock_;
  // Delays all requests and replies while it is enabled.
  const std::shared_ptr<CallFaults> faults_ = std::make_shared<CallFaults>(
      FaultPlan{.seed = 1, .delay = 1, .max_delay = seconds(100)});
  InProcessCluster cluster_{{{"ps", 2}, {"worker", 1}}, {}, faults_};
  GraphBuilder b_;
  Operation none_[2];
  Output size_[2];
  Output token_[2];
  std::shared_ptr<Session> session_;
  absl::Status status_ = absl::UnknownError("is running");
  std::atomic<bool> has_ended_ = false;
  Thread waiting_;
};

TEST_F(SessionWatchTest, AStepEndsWhenAnotherTaskIsLost) {
  for (const int lost : {0, 1}) {
    UseAll();
    has_ended_ = false;
    WaitForToken(1 - lost);
    const Clock::time_point begun = clock_.Now();
    cluster_.Kill({"ps", lost});
    EXPECT_TRUE(Eventually([&] { return has_ended_.load(); }));
    EXPECT_LE(clock_.Now() - begun, seconds(5));
    EXPECT_EQ(status_.code(), Code::kUnavailable);
    EXPECT_THAT(std::string(status_.message()),
                AllOf(HasSubstr(absl::StrCat(
                          "From /job:ps/replica:0/task:", lost, ":\n")),
                      HasSubstr("the step was waiting")));
    waiting_.Join();
    cluster_.Start({"ps", lost});
    session_ = *cluster_.NewSession(*b_.Build(), kWorker);
  }
}

TEST_F(SessionWatchTest, AStepEndsWhenAnotherTaskIsRestarted) {
  UseAll();
  WaitForToken(1);
  cluster_.Restart({"ps", 0});
  EXPECT_TRUE(Eventually([&] { return has_ended_.load(); }));
  EXPECT_EQ(status_.code(), Code::kAborted);
  EXPECT_THAT(std::string(status_.message()),
              AllOf(HasSubstr("From /job:ps/replica:0/task:0:\n"),
                    HasSubstr("was restarted")));
}

TEST_F(SessionWatchTest, ATaskWithoutStateOfTheSessionMayBeLost) {
  EXPECT_EQ(session_->Run({.targets = {none_[0].name()}}).status(),
            absl::OkStatus());
  WaitForToken(1);
  cluster_.Kill({"ps", 0});
  clock_.Advance(seconds(60));
  EXPECT_FALSE(has_ended_);
  cluster_.Kill({"ps", 1});
  EXPECT_TRUE(Eventually([&] { return has_ended_.load(); }));
}

// A task is not lost if it answers GetStatus later than the answer timeout.
TEST_F(SessionWatchTest, ATaskThatAnswersLateIsNotLost) {
  UseAll();
  WaitForToken(1);
  faults_->SetEnabled(true);
  clock_.Advance(seconds(60));
  EXPECT_GE(faults_->counts(methods::kGetStatus.path).delayed, 2u);
  EXPECT_FALSE(has_ended_);
  faults_->SetEnabled(false);
  cluster_.Kill({"ps", 1});
  EXPECT_TRUE(Eventually([&] { return has_ended_.load(); }));
}

}  // namespace
}  // namespace leat::session_watch_test
