// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/requests/call_gate.h"

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/distributed/requests/guarded_reply.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/wait_limit.h"

namespace leat::call_gate_test {
namespace {

using testing::TestClock;
using testing::WaitLimit;

class CallGateTest : public ::testing::Test {
 protected:
  // Holds the statuses of the answers.
  using Answers = std::vector<absl::Status>;

  void Call(const Handler& handler) {
    handler(std::make_shared<CallContext>(), Payload(),
            GuardedReply("/Method", [this](absl::StatusOr<Payload> answer) {
              answers_.push_back(answer.status());
            }));
  }
  // Returns a handler that keeps the reply for the test.
  Handler Waiting() {
    return [this](const std::shared_ptr<CallContext>&, const Payload&,
                  Reply reply) { replies_.push_back(std::move(reply)); };
  }
  static bool IsEmpty(CallGate& gate) {
    return gate.WaitUntil(TestClock(), TestClock().Now());
  }

  Answers answers_;
  CallGate gate_{"/job:ps/replica:0/task:0"};
  std::vector<Reply> replies_;
};

TEST_F(CallGateTest, ACallIsInsideUntilItIsAnswered) {
  const Handler handler = gate_.Around(Waiting());
  Call(handler);
  Call(handler);
  EXPECT_EQ(gate_.num_inside(), 2u);
  EXPECT_FALSE(IsEmpty(gate_));
  std::move(replies_[0])(Payload());
  EXPECT_EQ(gate_.num_inside(), 1u);
  std::move(replies_[1])(absl::InternalError("broken"));
  EXPECT_TRUE(IsEmpty(gate_));
  EXPECT_EQ(answers_,
            (Answers{absl::OkStatus(), absl::InternalError("broken")}));
}

TEST_F(CallGateTest, ADroppedReplyLeavesAndIsAnswered) {
  const Handler dropping = gate_.Around(
      [](const std::shared_ptr<CallContext>&, const Payload&, const Reply&) {});
  Call(dropping);
  EXPECT_TRUE(IsEmpty(gate_));
  // A handler may return and then drop the reply without an answer. This also
  // ends the call.
  Call(gate_.Around(Waiting()));
  EXPECT_FALSE(IsEmpty(gate_));
  replies_.clear();
  EXPECT_TRUE(IsEmpty(gate_));
  ASSERT_EQ(answers_.size(), 2u);
  for (const absl::Status& answer : answers_) {
    EXPECT_EQ(answer.code(), absl::StatusCode::kInternal) << answer;
  }
}

TEST_F(CallGateTest, OnceClosedItTakesNoCalls) {
  const Handler handler = gate_.Around(Waiting());
  Call(handler);
  gate_.Close();
  Call(handler);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0], absl::UnavailableError(
                             "task /job:ps/replica:0/task:0 is stopping"));
  EXPECT_EQ(replies_.size(), 1u);
  // A call that arrived before Close can still reply.
  std::thread caller([this] { std::move(replies_[0])(Payload()); });
  EXPECT_TRUE(gate_.WaitUntil(TestClock(), WaitLimit()));
  caller.join();
}

}  // namespace
}  // namespace leat::call_gate_test
