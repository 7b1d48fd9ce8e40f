// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/stoppable_tasks.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/tests/distributed/fake_tasks.h"

namespace leat::stoppable_tasks_test {
namespace {

const char kPs[] = "/job:ps/replica:0/task:0";

class StoppableTasksTest : public ::testing::Test {
 protected:
  // Makes a call and returns the cancellation that the called task gets.
  std::shared_ptr<Cancellation> Call(CallOptions options) {
    stoppable_.Call(kPs, methods::kLogging, Payload(), std::move(options),
                    [](const absl::StatusOr<Payload>&) {});
    std::vector<FakeTasks::Received> calls = tasks_.Take(1);
    std::move(calls[0].done)(Payload());
    return calls[0].options.cancellation;
  }
  std::shared_ptr<Cancellation> GetStatus(CallOptions options) {
    stoppable_.GetStatus(kPs, std::move(options),
                         [](const absl::StatusOr<PeerStatus>&) {});
    return std::exchange(asked_with_, nullptr);
  }

  std::shared_ptr<Cancellation> asked_with_;
  FakeTasks tasks_{{}, [this](const std::string&, const CallOptions& options) {
                     asked_with_ = options.cancellation;
                     return PeerStatus();
                   }};
  StoppableTasks stoppable_{tasks_};
};

TEST_F(StoppableTasksTest, StopCancelsWhatNothingElseCan) {
  const auto call = Call({}), status = GetStatus({});
  ASSERT_NE(call, nullptr);
  ASSERT_NE(status, nullptr);
  EXPECT_FALSE(call->IsCancelled());
  stoppable_.Stop(absl::UnavailableError("stopping"));
  stoppable_.Stop(absl::InternalError("again"));
  EXPECT_EQ(call->status(), absl::UnavailableError("stopping"));
  EXPECT_EQ(status->status(), absl::UnavailableError("stopping"));
  // Calls after Stop are cancelled, too.
  EXPECT_EQ(Call({})->status(), absl::UnavailableError("stopping"));
  EXPECT_EQ(GetStatus({})->status(), absl::UnavailableError("stopping"));
}

TEST_F(StoppableTasksTest, StopLeavesAloneWhatSomethingElseCancels) {
  const auto own = std::make_shared<Cancellation>();
  stoppable_.Stop(absl::UnavailableError("stopping"));
  EXPECT_EQ(Call({.cancellation = own}), own);
  EXPECT_EQ(GetStatus({.cancellation = own}), own);
  EXPECT_FALSE(own->IsCancelled());
}

}  // namespace
}  // namespace leat::stoppable_tasks_test
