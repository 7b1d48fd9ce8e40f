// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/fan_out.h"

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/distributed/fake_task_caller.h"

namespace leat::fan_out_test {
namespace {

using Replies = std::vector<absl::StatusOr<Payload>>;

std::vector<TaskCall> CallsOf(std::vector<std::string> tasks) {
  std::vector<TaskCall> calls;
  for (std::string& task : tasks) {
    Payload request{.header = absl::StrCat("for ", task)};
    calls.push_back({std::move(task), std::move(request)});
  }
  return calls;
}

TEST(FanOutTest, GivesTheRepliesInTheOrderOfTheCalls) {
  FakeTaskCaller tasks;
  std::optional<Replies> got;
  FanOut(tasks, methods::kRegisterGraph,
         CallsOf({"a", "/job:b/replica:0/task:0", "c"}), {},
         [&](Replies replies) { got = std::move(replies); });
  auto calls = tasks.Take(3);
  ASSERT_EQ(calls.size(), 3);
  EXPECT_EQ(calls[0].request.header, "for a");
  EXPECT_EQ(calls[1].task, "/job:b/replica:0/task:0");
  EXPECT_EQ(calls[1].path, methods::kRegisterGraph.path);
  std::move(calls[2].done)(Payload{.header = "2"});
  std::move(calls[0].done)(Payload{.header = "0"});
  EXPECT_FALSE(got.has_value());
  std::move(calls[1].done)(absl::InternalError("broken"));
  ASSERT_TRUE(got.has_value());
  ASSERT_EQ(got->size(), 3);
  EXPECT_EQ((*got)[0]->header, "0");
  EXPECT_EQ((*got)[1].status(),
            absl::InternalError("From /job:b/replica:0/task:0:\nbroken"));
  EXPECT_EQ((*got)[2]->header, "2");
  EXPECT_EQ(FirstError(*got), (*got)[1].status());
}

TEST(FanOutTest, OfNothingIsOverAtOnce) {
  FakeTaskCaller tasks;
  int times = 0;
  FanOut(tasks, methods::kRegisterGraph, {}, {}, [&](const Replies& replies) {
    ++times;
    EXPECT_TRUE(replies.empty());
  });
  EXPECT_EQ(times, 1);
}

TEST(FanOutTest, TakesAnswersThatComeDuringTheCall) {
  FakeTaskCaller tasks([](const FakeTaskCaller::Received& call,
                          std::optional<absl::StatusOr<Payload>>& answer) {
    answer = Payload{.header = call.task};
  });
  int times = 0;
  FanOut(tasks, methods::kRegisterGraph, CallsOf({"a", "b"}), {},
         [&](const Replies& replies) {
           ++times;
           EXPECT_EQ(replies[1]->header, "b");
         });
  EXPECT_EQ(times, 1);
}

// When a transport is destroyed, it may drop the replies of its calls.
TEST(FanOutTest, CountsAForgottenReplyAsCancelled) {
  FakeTaskCaller tasks;
  std::optional<Replies> got;
  FanOut(tasks, methods::kRegisterGraph, CallsOf({"a", "b"}), {},
         [&](Replies replies) { got = std::move(replies); });
  {
    auto calls = tasks.Take(2);
    std::move(calls[0].done)(Payload{});
  }
  ASSERT_TRUE(got.has_value());
  EXPECT_TRUE((*got)[0].ok());
  EXPECT_TRUE(absl::IsCancelled((*got)[1].status())) << (*got)[1].status();
}

TEST(FanOutTest, FinishesOnceWhateverThreadsAnswer) {
  constexpr int kCalls = 8;
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> times = 0;
    auto results = Gather<int>::Make(
        kCalls, [&](const std::vector<absl::StatusOr<int>>& all) {
          int sum = 0;
          for (const auto& one : all) sum += *one;
          EXPECT_EQ(sum, kCalls * (kCalls - 1) / 2);
          ++times;
        });
    std::vector<std::thread> threads;
    for (int i = 0; i < kCalls; ++i) {
      threads.emplace_back([i, result = std::move(results[i])]() mutable {
        std::move(result)(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace leat::fan_out_test
