// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what a session can do while it plans a step, and which plans it keeps.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/devices/step_observer.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/graph/optimizer/pass_context.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::planning_concurrency_test {
namespace {

// Counts plans. Blocks the planning of a graph that has a node "slow" until the
// gate opens. A pass is a plain function, so all tests of the process share one
// gate.
class Gate {
 public:
  static Gate& Get() {
    static Gate& gate = *new Gate;
    return gate;
  }
  static bool Pass(PassContext& context) {
    Get().Enter(context.graph().Find("slow") != kNoNode);
    return false;
  }

  void Reset() {
    MutexLock lock(mutex_);
    plans_ = waiting_ = 0;
    is_open_ = false;
  }
  void Open() {
    MutexLock lock(mutex_);
    is_open_ = true;
    changed_.NotifyAll();
  }
  // Waits until the planning of a graph is blocked.
  void AwaitWaiting() {
    MutexLock lock(mutex_);
    while (waiting_ == 0) changed_.Wait(mutex_);
  }
  int plans() {
    MutexLock lock(mutex_);
    return plans_;
  }

 private:
  void Enter(bool is_slow) {
    MutexLock lock(mutex_);
    ++plans_;
    if (!is_slow) return;
    ++waiting_;
    changed_.NotifyAll();
    while (!is_open_) changed_.Wait(mutex_);
  }

  Mutex mutex_;
  CondVar changed_;
  int plans_ ABSL_GUARDED_BY(mutex_) = 0;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
};

// Calls a function on a new thread. Get waits for the result of the function
// and returns it.
template <class T>
class Meanwhile {
 public:
  explicit Meanwhile(absl::AnyInvocable<T() &&> what)
      : thread_("meanwhile", [this, what = std::move(what)]() mutable {
          result_ = std::move(what)();
        }) {}
  T Get() {
    thread_.Join();
    return std::move(result_);
  }

 private:
  T result_;
  Thread thread_;
};

class PlanningTest : public ::testing::Test {
 protected:
  PlanningTest() {
    Gate::Get().Reset();
    passes.Add({.name = "gate", .phase = Phase::kSimplify, .run = &Gate::Pass});
    builder.Const(Tensor::Scalar(1.0f), "slow");
    builder.Const(Tensor::Scalar(2.0f), "fast");
  }
  ~PlanningTest() override { Gate::Get().Open(); }

  std::shared_ptr<Session> NewSession() {
    auto graph = builder.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return nullptr;
    auto session = NewLocalSession(
        *graph,
        {.devices = {.num_threads = 1}, .clock = &clock, .passes = &passes});
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *session : nullptr;
  }
  static std::function<absl::Status()> SlowStep(Session& session) {
    return [&session] { return session.Run({.fetches = {"slow"}}).status(); };
  }

  testing::SimulatedClock clock;
  PassRegistry passes;
  GraphBuilder builder;
};

TEST_F(PlanningTest, OtherStepsRunAndTheSessionClosesMeanwhile) {
  auto session = NewSession();
  Meanwhile<absl::Status> slow(SlowStep(*session));
  Gate::Get().AwaitWaiting();
  auto fast = session->Run({.fetches = {"fast"}});
  ASSERT_TRUE(fast.ok()) << fast.status();
  EXPECT_EQ((*fast)[0].scalar<float>(), 2);
  EXPECT_TRUE(session->Close().ok());
  Gate::Get().Open();
  EXPECT_EQ(slow.Get().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(PlanningTest, OfTwoEqualPlansOneIsMade) {
  auto session = NewSession();
  Meanwhile<absl::Status> first(SlowStep(*session));
  Meanwhile<absl::Status> second(SlowStep(*session));
  Gate::Get().AwaitWaiting();
  Gate::Get().Open();
  EXPECT_TRUE(first.Get().ok());
  EXPECT_TRUE(second.Get().ok());
  EXPECT_TRUE(session->Run({.fetches = {"slow"}}).ok());
  EXPECT_EQ(Gate::Get().plans(), 1);
}

class CountingObserver final : public StepObserver {
 public:
  void OnNodeRun(const NodeRun&) override { ++count; }
  std::atomic<int> count{0};
};

TEST_F(PlanningTest, TheTimeItTakesCountsForTheDeadline) {
  auto session = NewSession();
  CountingObserver observer;
  RunArgs args{.fetches = {"slow"}};
  args.options = {.timeout = std::chrono::milliseconds(20),
                  .observer = &observer};
  Meanwhile<absl::Status> step([&] { return session->Run(args).status(); });
  Gate::Get().AwaitWaiting();
  clock.Advance(*args.options.timeout);
  Gate::Get().Open();
  EXPECT_EQ(step.Get().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(observer.count, 0);
  // The plan was kept, so this step does not wait for planning.
  args.options.timeout = std::chrono::seconds(10);
  EXPECT_TRUE(session->Run(args).ok());
  EXPECT_GT(observer.count, 0);
  EXPECT_EQ(Gate::Get().plans(), 1);
}

TEST_F(PlanningTest, ADeadlineThatIsPastRunsNothing) {
  auto session = NewSession();
  CountingObserver observer;
  const RunOptions options = {.timeout = std::chrono::nanoseconds(0),
                              .observer = &observer};
  auto step = session->Run({.fetches = {"fast"}, .options = options});
  EXPECT_EQ(step.status().code(), absl::StatusCode::kDeadlineExceeded);
  auto callable =
      session->MakeCallable({.fetches = {"fast"}, .options = options});
  ASSERT_TRUE(callable.ok()) << callable.status();
  EXPECT_EQ((*callable)({}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(observer.count, 0);
}

// The time until the deadline of a callable begins when the callable is called,
// not when it is planned.
TEST_F(PlanningTest, ACallablesDeadlineIsThatOfItsCall) {
  auto session = NewSession();
  constexpr auto kTimeout = std::chrono::seconds(4);
  Meanwhile<absl::StatusOr<Callable>> planned([&] {
    return session->MakeCallable(
        {.fetches = {"slow"}, .options = {.timeout = kTimeout}});
  });
  Gate::Get().AwaitWaiting();
  clock.Advance(kTimeout);
  Gate::Get().Open();
  const auto callable = planned.Get();
  ASSERT_TRUE(callable.ok()) << callable.status();
  EXPECT_TRUE((*callable)({}).ok());
}

TEST_F(PlanningTest, APlanOfTheGraphBeforeAnExtendIsKept) {
  auto session = NewSession();
  Meanwhile<absl::Status> slow(SlowStep(*session));
  Gate::Get().AwaitWaiting();
  builder.Const(Tensor::Scalar(3.0f), "more");
  auto graph = builder.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(session->Extend(*graph).ok());
  Gate::Get().Open();
  EXPECT_TRUE(slow.Get().ok());
  EXPECT_EQ(Gate::Get().plans(), 1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(session->Run({.fetches = {"slow"}}).ok());
    EXPECT_EQ(Gate::Get().plans(), 1);
  }
}

// One caller starts to plan a step. Then the session is extended, and a second
// caller waits for the plan of the same step. The planning of the first caller
// fails. The second caller must plan again with the new graph.
TEST_F(PlanningTest, AFailureWithAnEarlierGraphIsNotThatOfALaterOne) {
  const Output queue = op::FIFOQueueV2(builder, {DType::kFloat});
  const std::string refused =
      op::QueueDequeueV2(queue, {DType::kFloat}, {.timeout_ms = 5})[0]
          .operation()
          .name();
  auto session = NewSession();
  const auto run = [&] {
    return session->Run({.fetches = {"slow"}, .targets = {refused}}).status();
  };
  Meanwhile<absl::Status> first(run);
  Gate::Get().AwaitWaiting();
  builder.Const(Tensor::Scalar(3.0f), "more");
  auto graph = builder.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(session->Extend(*graph).ok());
  Meanwhile<absl::Status> second(run);
  clock.Settle();
  EXPECT_EQ(Gate::Get().plans(), 1);
  Gate::Get().Open();
  EXPECT_EQ(first.Get().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(second.Get().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Gate::Get().plans(), 2);
}

TEST_F(PlanningTest, OfMoreThanAThousandPlansTheOneUnusedForLongestGoes) {
  constexpr int kMaxPlans = 1000;
  for (int i = 0; i <= kMaxPlans; ++i) {
    builder.Const(Tensor::Scalar<float>(i), absl::StrCat("c", i));
  }
  auto session = NewSession();
  const auto plans_after = [&](int i) {
    auto out = session->Run({.fetches = {absl::StrCat("c", i)}});
    EXPECT_TRUE(out.ok()) << out.status();
    return Gate::Get().plans();
  };
  auto callable = session->MakeCallable({.fetches = {"c0"}});
  ASSERT_TRUE(callable.ok()) << callable.status();
  for (int i = 0; i < kMaxPlans; ++i) EXPECT_EQ(plans_after(i), i + 1);
  EXPECT_EQ(plans_after(1), kMaxPlans);  // no plan was dropped
  EXPECT_EQ(plans_after(kMaxPlans), kMaxPlans + 1);
  EXPECT_EQ(plans_after(1), kMaxPlans + 1);
  EXPECT_EQ(plans_after(0), kMaxPlans + 2);
  auto out = (*callable)({});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 0);
  EXPECT_EQ(Gate::Get().plans(), kMaxPlans + 2);
}

}  // namespace
}  // namespace leat::planning_concurrency_test
