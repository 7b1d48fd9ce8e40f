// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/end_notices.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/master/master_environment.h"
#include "leat/distributed/master/master_step.h"
#include "leat/graph/op_registry.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::deferred_steps_test {
namespace {

using ::leat::testing::Event;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char kOwn[] = "/job:worker/replica:0/task:0";
const char kPs[] = "/job:ps/replica:0/task:0";
const char kOther[] = "/job:ps/replica:0/task:1";

class DeferredStepsTest : public ::testing::Test {
 protected:
  static constexpr std::chrono::hours kLong{1};
  static constexpr std::chrono::milliseconds kWait{10};

  ~DeferredStepsTest() override { notices_->Stop(); }

  std::shared_ptr<EndNotices> New(std::chrono::nanoseconds wait) {
    return std::make_shared<EndNotices>(kOwn, tasks_, timers_, wait);
  }

  testing::SimulatedClock clock_;
  FakeTaskCaller tasks_;
  TimerQueue timers_{"test-timers", clock_};
  std::shared_ptr<EndNotices> notices_ = New(kWait);
};

TEST_F(DeferredStepsTest, RideOnWhatIsSentNext) {
  notices_ = New(kLong);
  EXPECT_TRUE(notices_->DeferStep(kPs, 1));
  EXPECT_TRUE(notices_->DeferStep(kPs, 2));
  EXPECT_TRUE(notices_->DeferStep(kOther, 3));
  EXPECT_THAT(notices_->TakeSteps(kPs), ElementsAre(1, 2));
  EXPECT_THAT(notices_->TakeSteps(kPs), IsEmpty());
  EXPECT_THAT(notices_->TakeSteps(kOther), ElementsAre(3));
  EXPECT_EQ(tasks_.num_calls(), 0u);
}

TEST_F(DeferredStepsTest, AreSaidOnce) {
  EXPECT_TRUE(notices_->DeferStep(kPs, 1));
  EXPECT_THAT(notices_->TakeSteps(kPs), ElementsAre(1));
  clock_.Advance(3 * kWait);
  EXPECT_EQ(tasks_.num_calls(), 0u);
}

TEST_F(DeferredStepsTest, AreSentWhenNothingElseIs) {
  EXPECT_TRUE(notices_->DeferStep(kPs, 7));
  clock_.Advance(kWait - std::chrono::nanoseconds(1));
  EXPECT_EQ(tasks_.num_calls(), 0u);
  std::vector<FakeTaskCaller::Received> calls = tasks_.Take(1);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].task, kPs);
  EXPECT_EQ(calls[0].path, methods::kCleanupGraph.path);
  pb::CleanupGraphRequest request;
  ASSERT_TRUE(request.ParseFromString(calls[0].request.header));
  EXPECT_EQ(request.step_id(), 7);
  std::move(calls[0].done)(absl::UnavailableError("it does not matter"));
  EXPECT_THAT(notices_->TakeSteps(kPs), IsEmpty());
  // Step 8 is deferred after the notice for step 7 was sent. The notice for
  // step 8 is sent, too.
  EXPECT_TRUE(notices_->DeferStep(kPs, 8));
  calls = tasks_.Take(1);
  ASSERT_EQ(calls.size(), 1u);
  std::move(calls[0].done)(Payload());
}

TEST_F(DeferredStepsTest, OfATaskAreSentTogether) {
  constexpr int64_t kSteps = 2 * kMaxCleanupSteps + 5;
  for (int64_t i = 1; i <= kSteps; ++i) {
    EXPECT_TRUE(notices_->DeferStep(kPs, i));
  }
  std::vector<int64_t> told;
  clock_.Advance(kWait);
  std::vector<FakeTaskCaller::Received> calls = tasks_.Take(3);
  EXPECT_EQ(calls.size(), 3u);
  for (FakeTaskCaller::Received& call : calls) {
    pb::CleanupGraphRequest request;
    ASSERT_TRUE(request.ParseFromString(call.request.header));
    told.push_back(request.step_id());
    const auto& others = request.leat().steps();
    EXPECT_LT(others.size(), kMaxCleanupSteps);
    told.insert(told.end(), others.begin(), others.end());
    std::move(call.done)(Payload());
  }
  ASSERT_EQ(told.size(), kSteps);
  for (int64_t i = 0; i < kSteps; ++i) EXPECT_EQ(told[i], i + 1);
}

TEST_F(DeferredStepsTest, OfTheOwnTaskAreNotDeferred) {
  EXPECT_FALSE(notices_->DeferStep(kOwn, 1));
  EXPECT_THAT(notices_->TakeSteps(kOwn), IsEmpty());
}

TEST_F(DeferredStepsTest, AreForgottenAtTheEnd) {
  EXPECT_TRUE(notices_->DeferStep(kPs, 1));
  notices_->Stop();
  notices_->Stop();
  EXPECT_FALSE(notices_->DeferStep(kPs, 2));
  EXPECT_THAT(notices_->TakeSteps(kPs), IsEmpty());
  clock_.Advance(3 * kWait);
  EXPECT_EQ(tasks_.num_calls(), 0u);
}

// Provides a step without nodes on two tasks. One of the tasks is the master's
// own.
class DeferredCleanupTest : public ::testing::Test {
 protected:
  DeferredCleanupTest() {
    for (const char* task : {kPs, kOwn}) {
      plan_->parts.push_back({.task = task});
      SetGraphHandle("session", "graph", /*is_partial=*/false,
                     plan_->parts.back());
    }
  }
  ~DeferredCleanupTest() override { notices_->Stop(); }

  void Start() {
    const auto environment = std::make_shared<const MasterEnvironment>(
        MasterEnvironment{.ops = &BuiltinOps(),
                          .tasks = &tasks_,
                          .timers = &timers_,
                          .blocking = queue_.get(),
                          .notices = notices_});
    step_ = MasterStep::Start(
        environment, HostAllocator(), {.plan = plan_},
        [this](StepResult) { has_result_.Set(); }, [this] { ended_.Set(); });
    for (FakeTaskCaller::Received& call : tasks_.Take(2)) {
      EXPECT_EQ(call.path, methods::kRunGraph.path);
      (call.task == kPs ? ps_ : own_) = std::move(call);
    }
  }

  static std::vector<int64_t> CleanedUpBy(
      const FakeTaskCaller::Received& call) {
    pb::RunGraphRequest request;
    EXPECT_TRUE(request.ParseFromString(call.request.header));
    const auto& steps = request.leat().cleanup_steps();
    return {steps.begin(), steps.end()};
  }

  void Reply(absl::StatusOr<Payload> of_ps) {
    std::move(own_.done)(Payload());
    std::move(ps_.done)(std::move(of_ps));
    EXPECT_TRUE(has_result_.Wait());
  }

  // Answers the CleanupGraph calls of this step, which must go to the tasks
  // `expected`. Then waits for the end of the step.
  void CleanUp(std::vector<std::string> expected) {
    std::vector<std::string> tasks;
    for (FakeTaskCaller::Received& call : tasks_.Take(expected.size())) {
      EXPECT_EQ(call.path, methods::kCleanupGraph.path);
      pb::CleanupGraphRequest request;
      EXPECT_TRUE(request.ParseFromString(call.request.header));
      EXPECT_EQ(request.step_id(), step_->step_id());
      tasks.push_back(call.task);
      std::move(call.done)(Payload());
    }
    EXPECT_THAT(tasks, ::testing::UnorderedElementsAreArray(expected));
    EXPECT_TRUE(ended_.Wait());
  }

  testing::SimulatedClock clock_;
  FakeTaskCaller tasks_;
  TimerQueue timers_{"test-timers", clock_};
  const std::unique_ptr<WorkQueue> queue_ = NewThreadPool("test", 1);
  const std::shared_ptr<EndNotices> notices_ = std::make_shared<EndNotices>(
      kOwn, tasks_, timers_, std::chrono::hours(1));
  const std::shared_ptr<RegisteredPlan> plan_ =
      std::make_shared<RegisteredPlan>();
  std::shared_ptr<MasterStep> step_;
  FakeTaskCaller::Received ps_, own_;
  Event has_result_;
  Event ended_;
};

TEST_F(DeferredCleanupTest, RidesOnTheNextStep) {
  EXPECT_TRUE(notices_->DeferStep(kPs, 41));
  EXPECT_TRUE(notices_->DeferStep(kPs, 42));
  Start();
  EXPECT_THAT(CleanedUpBy(ps_), ElementsAre(41, 42));
  EXPECT_THAT(CleanedUpBy(own_), IsEmpty());
  Reply(Payload());
  CleanUp({kOwn});
  EXPECT_THAT(notices_->TakeSteps(kPs), ElementsAre(step_->step_id()));
}

TEST_F(DeferredCleanupTest, OfATaskThatDidNotHearOfItIsTriedAgain) {
  EXPECT_TRUE(notices_->DeferStep(kPs, 41));
  Start();
  EXPECT_THAT(CleanedUpBy(ps_), ElementsAre(41));
  Reply(absl::UnavailableError("connection refused"));
  CleanUp({kOwn, kPs});  // at once, because the step has failed
  EXPECT_THAT(notices_->TakeSteps(kPs), ElementsAre(41));
}

TEST_F(DeferredCleanupTest, OfATaskOfTensorFlowIsACall) {
  plan_->parts[0].is_foreign = true;
  EXPECT_TRUE(notices_->DeferStep(kPs, 41));
  Start();
  EXPECT_THAT(CleanedUpBy(ps_), IsEmpty());
  Reply(Payload());
  CleanUp({kOwn, kPs});
  EXPECT_THAT(notices_->TakeSteps(kPs), ElementsAre(41));
}

}  // namespace
}  // namespace leat::deferred_steps_test
