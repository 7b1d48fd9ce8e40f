// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests steps that wait at queues and accumulators. A waiting step must hold no
// thread, and must end when its timeout passes or its session is closed.
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::queue_session_test {
namespace {

using ::testing::HasSubstr;

class QueueSessionTest : public ::testing::Test {
 protected:
  QueueSessionTest() {
    queue = op::FIFOQueueV2(b, {DType::kInt32}, {.capacity = 4});
    x = b.Placeholder<int32_t>("x");
    put = op::QueueEnqueueV2(queue, {x});
    taken = op::QueueDequeueV2(queue, {DType::kInt32})[0];
  }

  // The session has only one thread. If a waiting step held this thread, all
  // other steps would be blocked.
  std::shared_ptr<Session> NewSession() {
    auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    auto session =
        NewTestSession(*graph, {.devices = {.num_cpus = 1, .num_threads = 1}});
    EXPECT_TRUE(session.ok()) << session.status();
    return *session;
  }

  absl::Status Put(Session& session, int32_t value) {
    return session
        .Run({.feeds = {{x, Tensor::Scalar(value)}}, .targets = {put}})
        .status();
  }
  absl::StatusOr<int32_t> Take(Session& session, RunOptions options = {}) {
    auto out = session.Run({.fetches = {taken}, .options = options});
    if (!out.ok()) return out.status();
    return (*out)[0].scalar<int32_t>();
  }

  GraphBuilder b;
  Output queue, x, taken;
  Operation put;
};

TEST_F(QueueSessionTest, WaitingStepsHoldNoThread) {
  constexpr int kWaiting = 20;
  auto session = NewSession();
  std::vector<absl::StatusOr<int32_t>> answers(kWaiting);
  std::vector<Thread> waiting;
  for (int i = 0; i < kWaiting; ++i) {
    waiting.emplace_back("takes", [&, i] { answers[i] = Take(*session); });
  }
  int32_t sum = 0;
  for (int i = 1; i <= kWaiting; ++i) {
    ASSERT_TRUE(Put(*session, i).ok());
    sum -= i;
  }
  waiting.clear();
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer.ok()) << answer.status();
    sum += *answer;
  }
  EXPECT_EQ(sum, 0);
}

TEST_F(QueueSessionTest, AStepWhoseTimeIsUpLeavesTheElements) {
  const auto clock = SimulateTime();
  auto session = NewSession();
  const auto late = Take(*session, {.timeout = std::chrono::milliseconds(50)});
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(Put(*session, 7).ok());
  const auto taken = Take(*session);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(*taken, 7);
}

TEST_F(QueueSessionTest, ClosingTheSessionEndsAWaitingStep) {
  const auto clock = SimulateTime();
  const Output begun = op::FIFOQueueV2(b, {DType::kInt32});
  const Output has_begun = op::QueueDequeueV2(begun, {DType::kInt32})[0];
  Output waits;
  {
    auto after = b.ControlDependencies(
        {op::QueueEnqueueV2(begun, {b.Const<int32_t>(1)})});
    waits = op::QueueDequeueV2(queue, {DType::kInt32})[0];
  }
  auto session = NewSession();
  absl::Status status;
  Thread waiting("waits",
                 [&] { status = session->Run({.fetches = {waits}}).status(); });
  // This step ends when the waiting step has begun.
  EXPECT_TRUE(session->Run({.fetches = {has_begun}}).ok());
  if (clock != nullptr) clock->Settle();
  EXPECT_TRUE(session->Close().ok());
  waiting.Join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
}

// Two nodes with the same inputs each take an element, so they must not be
// merged into one.
TEST_F(QueueSessionTest, EveryNodeTakesAnElementOfItsOwn) {
  const Output other = op::QueueDequeueV2(queue, {DType::kInt32})[0];
  auto session = NewSession();
  ASSERT_TRUE(Put(*session, 3).ok());
  ASSERT_TRUE(Put(*session, 4).ok());
  auto out = session->Run({.fetches = {taken, other}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int32_t>() + (*out)[1].scalar<int32_t>(), 7);
}

TEST_F(QueueSessionTest, ErrorsNameTheNode) {
  auto session = NewSession();
  const Operation close = op::QueueCloseV2(queue);
  (void)close;
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok());
  ASSERT_TRUE(session->Extend(*graph).ok());
  ASSERT_TRUE(session->Run({.targets = {close}}).ok());
  EXPECT_THAT(std::string(Take(*session).status().message()),
              HasSubstr("is closed and has insufficient elements (requested 1, "
                        "current size 0)"));
}

// This is the core of synchronous training on a parameter server. One step
// waits for the mean of two gradients. Two other steps apply these gradients to
// the accumulator. The op ConditionalAccumulator gives a reference, not a
// resource handle.
TEST_F(QueueSessionTest, AnAccumulatorGivesTheMeanToAWaitingStep) {
  const Output reference =
      op::ConditionalAccumulator(b, DType::kFloat, PartialShape{2});
  const Output gradient = b.Placeholder<float>("gradient");
  const Output step = b.Const(Tensor::Scalar<int64_t>(0));
  const Operation apply =
      op::AccumulatorApplyGradient(reference, step, gradient);
  const Output mean = op::AccumulatorTakeGradient(reference, 2, DType::kFloat);
  auto session = NewSession();
  absl::StatusOr<std::vector<Tensor>> answer;
  std::thread chief([&] { answer = session->Run({.fetches = {mean}}); });
  for (const float value : {1.0f, 4.0f}) {
    const auto status =
        session
            ->Run({.feeds = {{gradient, Tensor::Vector<float>({value, 0})}},
                   .targets = {apply}})
            .status();
    ASSERT_TRUE(status.ok()) << status;
  }
  chief.join();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(Identical((*answer)[0], Tensor::Vector<float>({2.5f, 0})));
}

}  // namespace
}  // namespace leat::queue_session_test
