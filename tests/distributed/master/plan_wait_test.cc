// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/plan_wait.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "leat/tests/testing/eventually.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/test_service.h"

namespace leat::plan_wait_test {
namespace {

using ::leat::testing::Eventually;
using ::leat::testing::SimulatedClock;
using std::chrono::milliseconds;

// Describes the outcome of a wait. Is thread-safe.
struct Outcome {
  RegisteredPlans::Done Done() {
    return [this](absl::StatusOr<RegisteredPlans::Plan> got) {
      MutexLock lock(mutex);
      ++calls;
      plan = std::move(got);
    };
  }
  int num_calls() {
    MutexLock lock(mutex);
    return calls;
  }
  absl::Status status() {
    MutexLock lock(mutex);
    return plan->status();
  }

  Mutex mutex;
  int calls ABSL_GUARDED_BY(mutex) = 0;
  std::optional<absl::StatusOr<RegisteredPlans::Plan>> plan
      ABSL_GUARDED_BY(mutex);
};

class PlanWaitTest : public ::testing::Test {
 protected:
  // Waits for a plan. The test passes the plan to `finish_`.
  void Wait(const Patience& patience, RegisteredPlans::Done done) {
    WaitForPlan(
        table_, "a", 0,
        [this](RegisteredPlans::Done finish) { finish_ = std::move(finish); },
        timers_, patience, std::move(done));
  }

  StepDeadline After(milliseconds timeout) {
    return {.clock = &clock_, .at = clock_.After(timeout), .timeout = timeout};
  }

  SimulatedClock clock_;
  Outcome outcome_;
  TimerQueue timers_{"test-timers", clock_};
  const std::shared_ptr<RegisteredPlans> table_ =
      RegisteredPlans::Create([](const RegisteredPlans::Plan&) {});
  RegisteredPlans::Done finish_;
  const std::shared_ptr<CallContext> call_ = std::make_shared<CallContext>();
  const RegisteredPlans::Plan plan_ = std::make_shared<const RegisteredPlan>();
};

TEST_F(PlanWaitTest, GivesThePlanThatComesInTime) {
  Wait({.deadline = After(std::chrono::hours(1)), .call = call_},
       outcome_.Done());
  EXPECT_EQ(outcome_.num_calls(), 0);
  std::move(finish_)(plan_);
  EXPECT_EQ(outcome_.num_calls(), 1);
  EXPECT_TRUE(outcome_.status().ok());
  call_->cancellation.Cancel(absl::CancelledError("gone"));
  EXPECT_EQ(outcome_.num_calls(), 1);
}

TEST_F(PlanWaitTest, GivesThePlanThatIsThere) {
  Outcome first;
  Wait({}, first.Done());
  std::move(finish_)(plan_);
  Wait({.deadline = After(std::chrono::hours(1)), .call = call_},
       outcome_.Done());
  EXPECT_EQ(outcome_.num_calls(), 1);
  EXPECT_TRUE(outcome_.status().ok());
  call_->cancellation.Cancel(absl::CancelledError("gone"));
  EXPECT_EQ(outcome_.num_calls(), 1);
}

TEST_F(PlanWaitTest, EndsAtTheDeadline) {
  const Clock::time_point begun = clock_.Now();
  Wait({.deadline = After(milliseconds(20)), .call = call_}, outcome_.Done());
  ASSERT_TRUE(Eventually([this] { return outcome_.num_calls() == 1; }));
  EXPECT_EQ(clock_.Now() - begun, milliseconds(20));
  EXPECT_EQ(outcome_.status(),
            absl::DeadlineExceededError(
                "Deadline Exceeded\n\tthe step's timeout of 20ms was over "
                "before it could begin"));
  std::move(finish_)(plan_);  // too late
  EXPECT_EQ(outcome_.num_calls(), 1);
}

TEST_F(PlanWaitTest, EndsWithItsClient) {
  Wait({.call = call_}, outcome_.Done());
  call_->cancellation.Cancel(absl::CancelledError("gone"));
  EXPECT_EQ(outcome_.num_calls(), 1);
  EXPECT_EQ(outcome_.status(), absl::CancelledError("gone"));
  std::move(finish_)(absl::InternalError("no plan"));
  EXPECT_EQ(outcome_.num_calls(), 1);
}

TEST_F(PlanWaitTest, OfAClientThatIsGoneIsOverAtOnce) {
  call_->cancellation.Cancel(absl::CancelledError("gone"));
  Wait({.deadline = After(std::chrono::hours(1)), .call = call_},
       outcome_.Done());
  EXPECT_EQ(outcome_.num_calls(), 1);
  EXPECT_EQ(outcome_.status(), absl::CancelledError("gone"));
  EXPECT_EQ(call_.use_count(), 1);  // The table has dropped the call's wait.
}

// The callback may own feeds of the client. So the callback must be destroyed
// when the wait is over, even if the plan is still being made.
TEST_F(PlanWaitTest, KeepsNothingOnceItIsOver) {
  auto feeds = std::make_shared<int>();
  const std::weak_ptr<int> watched = feeds;
  Wait({.call = call_}, [feeds = std::move(feeds)](
                            const absl::StatusOr<RegisteredPlans::Plan>&) {});
  EXPECT_FALSE(watched.expired());
  call_->cancellation.Cancel(absl::CancelledError("gone"));
  EXPECT_TRUE(watched.expired());
}

// A task is silent, so the plan is not made for a long time. Meanwhile a client
// may ask for the plan and give up, again and again.
TEST_F(PlanWaitTest, WhoAsksAgainAndAgainLeavesNothing) {
  Wait({}, outcome_.Done());
  const auto asked = std::make_shared<int>();
  const auto ask = [&](const Patience& patience) {
    WaitForPlan(
        table_, "a", 0, [asked](const RegisteredPlans::Done&) { FAIL(); },
        timers_, patience,
        [asked](const absl::StatusOr<RegisteredPlans::Plan>&) {});
  };
  // The table keeps a reference to each call until the call's wait ends.
  for (int i = 0; i < 1000; ++i) {
    const auto call = std::make_shared<CallContext>();
    ask({.deadline = After(std::chrono::hours(1)), .call = call});
    EXPECT_EQ(call.use_count(), 2);
    call->cancellation.Cancel(absl::CancelledError("gone"));
    EXPECT_EQ(call.use_count(), 1);
  }
  EXPECT_EQ(asked.use_count(), 1);
  for (int i = 0; i < 1000; ++i) {
    ask({.deadline = After(milliseconds(1)), .call = call_});
  }
  EXPECT_TRUE(Eventually([this] { return call_.use_count() == 1; }));
  EXPECT_TRUE(Eventually([&] { return asked.use_count() == 1; }));
  std::move(finish_)(plan_);
  EXPECT_EQ(outcome_.num_calls(), 1);
  EXPECT_TRUE(outcome_.status().ok());
}

}  // namespace
}  // namespace leat::plan_wait_test
