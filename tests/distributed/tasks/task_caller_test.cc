// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/task_caller.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/tests/distributed/fake_task_caller.h"

namespace leat::task_caller_test {
namespace {

const char kPs[] = "/job:ps/replica:0/task:0";

class TaskCallerTest : public ::testing::Test {
 protected:
  // Makes a call and returns the cancellation that the called task gets.
  std::shared_ptr<Cancellation> Call(CallOptions options) {
    tasks_.Call(kPs, methods::kLogging, Payload(), std::move(options),
                [](const absl::StatusOr<Payload>&) {});
    std::vector<FakeTaskCaller::Received> calls = tasks_.Take(1);
    std::move(calls[0].done)(Payload());
    return calls[0].options.cancellation;
  }
  std::shared_ptr<Cancellation> GetStatus(CallOptions options) {
    tasks_.GetStatus(kPs, std::move(options),
                     [](const absl::StatusOr<PeerStatus>&) {});
    return std::exchange(asked_with_, nullptr);
  }

  std::shared_ptr<Cancellation> asked_with_;
  FakeTaskCaller tasks_{{},
                        [this](const std::string&, const CallOptions& options) {
                          asked_with_ = options.cancellation;
                          return PeerStatus();
                        }};
};

TEST_F(TaskCallerTest, StopCancelsWhatNothingElseCan) {
  const auto call = Call({}), status = GetStatus({});
  ASSERT_NE(call, nullptr);
  ASSERT_NE(status, nullptr);
  EXPECT_FALSE(call->IsCancelled());
  tasks_.Stop(absl::UnavailableError("stopping"));
  tasks_.Stop(absl::InternalError("again"));
  EXPECT_EQ(call->status(), absl::UnavailableError("stopping"));
  EXPECT_EQ(status->status(), absl::UnavailableError("stopping"));
  // Calls after Stop are cancelled, too.
  EXPECT_EQ(Call({})->status(), absl::UnavailableError("stopping"));
  EXPECT_EQ(GetStatus({})->status(), absl::UnavailableError("stopping"));
}

TEST_F(TaskCallerTest, StopLeavesAloneWhatSomethingElseCancels) {
  const auto own = std::make_shared<Cancellation>();
  tasks_.Stop(absl::UnavailableError("stopping"));
  EXPECT_EQ(Call({.cancellation = own}), own);
  EXPECT_EQ(GetStatus({.cancellation = own}), own);
  EXPECT_FALSE(own->IsCancelled());
}

}  // namespace
}  // namespace leat::task_caller_test
