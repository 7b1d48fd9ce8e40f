// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/end_notices.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/worker/worker_sessions.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/protos/worker.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::end_notices_test {
namespace {

const absl::Status& Unreachable() {
  static const auto& status =
      *new absl::Status(UnreachableError("localhost:1", "a test"));
  return status;
}

class LostDeletionsTest : public ::testing::Test {
 protected:
  ~LostDeletionsTest() override { notices->Stop(); }

  testing::SimulatedClock clock;
  FakeTaskCaller tasks;
  TimerQueue timers{"test", clock};
  const std::shared_ptr<EndNotices> notices =
      std::make_shared<EndNotices>("/job:worker", tasks, timers);
};

TEST_F(LostDeletionsTest, AreTriedUntilTheTaskAnswers) {
  const Clock::time_point start = clock.Now();
  notices->RetryDeletion("/job:ps", "s1", Unreachable());
  EXPECT_EQ(notices->num_deletions(), 1);
  for (int i = 0; i < 2; ++i) {
    auto calls = tasks.Take(1);
    ASSERT_EQ(calls.size(), 1);
    EXPECT_EQ(calls[0].task, "/job:ps");
    EXPECT_EQ(calls[0].path, methods::kDeleteWorkerSession.path);
    pb::DeleteWorkerSessionRequest request;
    ASSERT_TRUE(request.ParseFromString(calls[0].request.header));
    EXPECT_EQ(request.session_handle(), "s1");
    EXPECT_TRUE(calls[0].options.deadline.has_value());
    EXPECT_EQ(notices->num_deletions(), 1);
    EXPECT_EQ(clock.Now() - start, (2 * i + 1) * EndNotices::kFirstWait);
    std::move(calls[0].done)(i == 0 ? absl::StatusOr<Payload>(Unreachable())
                                    : Payload());
  }
  EXPECT_EQ(notices->num_deletions(), 0);
}

TEST_F(LostDeletionsTest, AreNotThoseThatTheTaskAnswered) {
  notices->RetryDeletion("/job:ps", "s1",
                         absl::AbortedError("no such session"));
  notices->RetryDeletion("/job:ps", "s1", absl::CancelledError("no more time"));
  notices->RetryDeletion("/job:ps", "s1", absl::OkStatus());
  EXPECT_EQ(notices->num_deletions(), 0);
}

TEST_F(LostDeletionsTest, NothingIsTriedAfterStop) {
  notices->RetryDeletion("/job:ps", "s1", Unreachable());
  auto calls = tasks.Take(1);
  ASSERT_EQ(calls.size(), 1);
  notices->Stop();
  EXPECT_EQ(notices->num_deletions(), 0);
  std::move(calls[0].done)(Unreachable());
  notices->RetryDeletion("/job:ps", "s2", Unreachable());
  EXPECT_EQ(notices->num_deletions(), 0);
  clock.Advance(std::chrono::hours(1));
  EXPECT_EQ(tasks.num_calls(), 0);
}

TEST_F(LostDeletionsTest, AreNoMoreThanTheLimit) {
  for (size_t i = 0; i < EndNotices::kMaxDeletions + 10; ++i) {
    notices->RetryDeletion("/job:ps", absl::StrCat("s", i), Unreachable());
  }
  EXPECT_EQ(notices->num_deletions(), EndNotices::kMaxDeletions);
}

TEST_F(LostDeletionsTest, ATaskThatNeverComesBackCrowdsOutOnlyItsOwn) {
  notices->RetryDeletion("/job:ps/task:1", "kept", Unreachable());
  for (size_t i = 0; i < EndNotices::kMaxDeletions + 10; ++i) {
    notices->RetryDeletion("/job:ps/task:0", absl::StrCat("s", i),
                           Unreachable());
  }
  EXPECT_EQ(notices->num_deletions(), EndNotices::kMaxDeletions);
  // The deletion that was noted first is tried first.
  auto calls = tasks.Take(1);
  ASSERT_GE(calls.size(), 1);
  EXPECT_EQ(calls[0].task, "/job:ps/task:1");
  pb::DeleteWorkerSessionRequest request;
  ASSERT_TRUE(request.ParseFromString(calls[0].request.header));
  EXPECT_EQ(request.session_handle(), "kept");
}

TEST(WorkerSessionsTest, WhatWasDeletedIsNotMadeByALateMessage) {
  const auto devices = DeviceSet::Create({.num_threads = 1}).value();
  const KernelRegistry kernels;
  WorkerSessions sessions("/job:ps", *devices, kernels, {}, RealClock());
  WorkerSessions::Ended ended;
  ASSERT_TRUE(sessions.Create({.handle = "a"}, &ended).ok());
  EXPECT_NE(sessions.Remove("a"), nullptr);
  EXPECT_EQ(sessions.Remove("b"), nullptr);  // before the session is created
  for (const char* const handle : {"a", "b"}) {
    EXPECT_EQ(sessions.Create({.handle = handle}, &ended).code(),
              absl::StatusCode::kAborted);
  }
  EXPECT_EQ(sessions.num_sessions(), 0);
  EXPECT_TRUE(sessions.Create({.handle = "c"}, &ended).ok());
  // Only a limited number of deleted sessions is remembered.
  for (int i = 0; i < 10'000; ++i) sessions.Remove(absl::StrCat("d", i));
  EXPECT_TRUE(sessions.Create({.handle = "a"}, &ended).ok());
}

}  // namespace
}  // namespace leat::end_notices_test
