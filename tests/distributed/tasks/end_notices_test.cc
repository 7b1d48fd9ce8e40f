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

  // Asks `task` to delete a session. The task answers with `answer`.
  void Delete(const std::string& task, const std::string& session,
              absl::StatusOr<Payload> answer = Unreachable()) {
    bool is_done = false;
    notices->DeleteSession({task}, session, [&is_done] { is_done = true; });
    auto calls = tasks.Take(1);
    ASSERT_EQ(calls.size(), 1);
    ExpectDeletion(calls[0], task, session);
    EXPECT_FALSE(is_done);
    std::move(calls[0].done)(std::move(answer));
    EXPECT_TRUE(is_done);
  }
  static void ExpectDeletion(const FakeTaskCaller::Received& call,
                             const std::string& task,
                             const std::string& session) {
    EXPECT_EQ(call.task, task);
    EXPECT_EQ(call.path, methods::kDeleteWorkerSession.path);
    pb::DeleteWorkerSessionRequest request;
    ASSERT_TRUE(request.ParseFromString(call.request.header));
    EXPECT_EQ(request.session_handle(), session);
    EXPECT_TRUE(call.options.deadline.has_value());
  }
  // Expects that no DeleteWorkerSession request is sent again.
  void ExpectNoneLeft() {
    clock.Advance(std::chrono::hours(1));
    EXPECT_EQ(tasks.num_calls(), 0);
  }

  testing::SimulatedClock clock;
  FakeTaskCaller tasks;
  TimerQueue timers{"test", clock};
  const std::shared_ptr<EndNotices> notices =
      std::make_shared<EndNotices>("/job:worker", tasks, timers);
};

TEST_F(LostDeletionsTest, AreTriedUntilTheTaskAnswers) {
  const Clock::time_point start = clock.Now();
  Delete("/job:ps", "s1");
  for (int i = 0; i < 2; ++i) {
    auto calls = tasks.Take(1);
    ASSERT_EQ(calls.size(), 1);
    ExpectDeletion(calls[0], "/job:ps", "s1");
    EXPECT_EQ(clock.Now() - start,
              (2 * i + 1) * ServerIntervals().deletion.shortest);
    std::move(calls[0].done)(i == 0 ? absl::StatusOr<Payload>(Unreachable())
                                    : Payload());
  }
  ExpectNoneLeft();
}

// RESOURCE_EXHAUSTED means that the task had no room for the request. So the
// task has not passed the request to its worker.
TEST_F(LostDeletionsTest, AreAlsoThoseForWhichTheTaskHadNoRoom) {
  const absl::Status full = absl::ResourceExhaustedError("no room");
  Delete("/job:ps", "s1", full);
  for (const bool has_room : {false, true}) {
    auto calls = tasks.Take(1);
    ASSERT_EQ(calls.size(), 1);
    ExpectDeletion(calls[0], "/job:ps", "s1");
    std::move(calls[0].done)(has_room ? absl::StatusOr<Payload>(Payload())
                                      : full);
  }
  ExpectNoneLeft();
}

TEST_F(LostDeletionsTest, AreNotThoseThatTheTaskAnswered) {
  Delete("/job:ps", "s1", absl::AbortedError("no such session"));
  Delete("/job:ps", "s1", absl::CancelledError("no more time"));
  Delete("/job:ps", "s1", Payload());
  ExpectNoneLeft();
}

TEST_F(LostDeletionsTest, OfSeveralTasksAreThoseOfWhoDidNotAnswer) {
  bool is_done = false;
  notices->DeleteSession({"/job:ps/task:0", "/job:ps/task:1"}, "s1",
                         [&is_done] { is_done = true; });
  auto calls = tasks.Take(2);
  ASSERT_EQ(calls.size(), 2);
  std::move(calls[0].done)(Payload());
  EXPECT_FALSE(is_done);
  std::move(calls[1].done)(Unreachable());
  EXPECT_TRUE(is_done);
  calls = tasks.Take(1);
  ASSERT_EQ(calls.size(), 1);
  ExpectDeletion(calls[0], "/job:ps/task:1", "s1");
  std::move(calls[0].done)(Payload());
  ExpectNoneLeft();
}

TEST_F(LostDeletionsTest, NothingIsTriedAfterStop) {
  Delete("/job:ps", "s1");
  auto tried = tasks.Take(1);
  ASSERT_EQ(tried.size(), 1);
  notices->DeleteSession({"/job:ps"}, "s2", [] {});
  auto begun = tasks.Take(1);
  ASSERT_EQ(begun.size(), 1);
  notices->Stop();
  std::move(tried[0].done)(Unreachable());
  std::move(begun[0].done)(Unreachable());
  ExpectNoneLeft();
}

TEST_F(LostDeletionsTest, AreNoMoreThanTheLimit) {
  for (size_t i = 0; i < EndNotices::kMaxDeletions + 10; ++i) {
    Delete("/job:ps", absl::StrCat("s", i));
  }
  clock.Advance(ServerIntervals().deletion.shortest);
  EXPECT_EQ(tasks.num_calls(), EndNotices::kMaxDeletions);
}

TEST_F(LostDeletionsTest, ATaskThatNeverComesBackCrowdsOutOnlyItsOwn) {
  Delete("/job:ps/task:1", "kept");
  for (size_t i = 0; i < EndNotices::kMaxDeletions + 10; ++i) {
    Delete("/job:ps/task:0", absl::StrCat("s", i));
  }
  clock.Advance(ServerIntervals().deletion.shortest);
  const auto calls = tasks.Take(EndNotices::kMaxDeletions);
  EXPECT_EQ(calls.size(), EndNotices::kMaxDeletions);
  // The request that was recorded first is sent again first.
  ExpectDeletion(calls[0], "/job:ps/task:1", "kept");
}

TEST(WorkerSessionsTest, WhatWasDeletedIsNotMadeByALateMessage) {
  const auto devices = DeviceSet::Create({.num_threads = 1}).value();
  const KernelRegistry kernels;
  WorkerSessions sessions("/job:ps", *devices, kernels, /*limits=*/{},
                          /*functions=*/{}, testing::TestClock());
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
  // The table remembers only a limited number of deleted sessions. After 10,000
  // more, it has forgotten "a", so a session "a" can be created.
  for (int i = 0; i < 10'000; ++i) sessions.Remove(absl::StrCat("d", i));
  EXPECT_TRUE(sessions.Create({.handle = "a"}, &ended).ok());
}

}  // namespace
}  // namespace leat::end_notices_test
