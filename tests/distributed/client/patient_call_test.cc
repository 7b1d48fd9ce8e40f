// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests which messages CallPatiently gives while it waits, when it gives them,
// and which error it returns at the timeout.
#include "leat/distributed/client/patient_call.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/transport/call_errors.h"
#include "leat/distributed/wire/methods.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::patient_call_test {
namespace {

using leat::testing::FakeTransport;
using leat::testing::SimulatedClock;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kMaster[] = "master:1";

class PatientCallTest : public ::testing::Test {
 protected:
  // Serves kReset with a handler that returns `answer` after `time`.
  void AnswerAfter(Clock::duration time, absl::StatusOr<Payload> answer) {
    transport_.Serve(
        kMaster, methods::kReset,
        [this, time, code = answer.status(),
         header = answer.ok() ? answer->header : ""](
            const std::shared_ptr<CallContext>&, Payload, Reply reply) {
          timers_.After(time,
                        [code, header, reply = std::move(reply)]() mutable {
                          if (!code.ok()) return std::move(reply)(code);
                          std::move(reply)(Payload{.header = header});
                        });
        });
  }
  // Serves kReset with a handler that fails at the timeout. The error is
  // DEADLINE_EXCEEDED, as from a real transport.
  void NeverAnswer() {
    AnswerAfter(wait_.timeout, LateError(kMaster, methods::kReset.path));
  }
  // Serves the health check with a handler that counts its calls.
  void AnswerHealth(absl::Status health) {
    transport_.Serve(kMaster, methods::kHealthCheck,
                     [this, health](const std::shared_ptr<CallContext>&,
                                    Payload, Reply reply) {
                       ++num_looks_;
                       std::move(reply)(health);
                     });
  }

  absl::StatusOr<Payload> Call() {
    const Clock::time_point begin = clock_.Now();
    wait_.on_waiting = [this, begin](absl::string_view message) {
      notices_.emplace_back(message);
      times_.push_back(
          std::chrono::round<seconds>(clock_.Now() - begin).count());
    };
    return CallPatiently(transport_, kMaster, methods::kReset, {}, wait_);
  }

  SimulatedClock clock_;
  TimerQueue timers_{"test", clock_};
  FakeTransport transport_{nullptr, clock_};
  ConnectWait wait_ = {};
  int num_looks_ = 0;
  std::vector<std::string> notices_;
  std::vector<int64_t> times_;
};

TEST_F(PatientCallTest, SaysNothingDuringTheFirstSecond) {
  AnswerAfter(milliseconds(990), Payload{.header = "answer"});
  const auto answer = Call();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->header, "answer");
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(PatientCallTest, SaysWhyItWaitsAtGrowingIntervals) {
  wait_.timeout = seconds(100);
  NeverAnswer();
  const absl::Status status = Call().status();
  EXPECT_THAT(times_, ElementsAre(1, 10, 30, 60, 90));
  // No handler serves the health check, so the FakeTransport fails it with this
  // message.
  EXPECT_THAT(notices_, Each(HasSubstr("connection refused")));
  EXPECT_THAT(notices_.front(), HasSubstr("still trying for 1m39s"));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("gave up after 1m40s"), HasSubstr("connection refused")));
}

TEST_F(PatientCallTest, GivesTheReasonAlsoAfterAShortTimeout) {
  wait_.timeout = milliseconds(20);
  NeverAnswer();
  EXPECT_THAT(std::string(Call().status().message()),
              HasSubstr("gave up after 20ms: connection refused"));
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(PatientCallTest, SaysThatAReachableTaskIsBusy) {
  NeverAnswer();
  AnswerHealth(absl::UnimplementedError("TensorFlow has no such method"));
  const absl::Status status = Call().status();
  EXPECT_THAT(notices_, AllOf(SizeIs(3), Each(HasSubstr("master:1 can be "
                                                        "reached"))));
  EXPECT_THAT(notices_, Each(HasSubstr("Reset")));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("can be reached"));
  EXPECT_EQ(num_looks_, 60);
}

TEST_F(PatientCallTest, SaysThatATaskIsSilent) {
  NeverAnswer();
  AnswerHealth(LateError(kMaster, methods::kHealthCheck.path));
  EXPECT_THAT(std::string(Call().status().message()),
              HasSubstr("master:1 accepts connections, but does not answer"));
}

TEST_F(PatientCallTest, PassesOnTheErrorOfTheTask) {
  const absl::Status error = absl::DeadlineExceededError("a worker is silent");
  AnswerAfter(seconds(5), error);
  EXPECT_EQ(Call().status(), error);
}

TEST_F(PatientCallTest, AsksOneQuestionAtATimeAndEndsTheLast) {
  int num_begun = 0;
  std::vector<Reply> unanswered;
  std::shared_ptr<CallContext> last;
  transport_.Serve(
      kMaster, methods::kHealthCheck,
      [&](const std::shared_ptr<CallContext>& context, Payload, Reply reply) {
        ++num_begun;
        last = context;
        unanswered.push_back(std::move(reply));
      });
  AnswerAfter(seconds(20), Payload{});
  EXPECT_TRUE(Call().ok());
  EXPECT_EQ(num_begun, 1);
  ASSERT_NE(last, nullptr);
  EXPECT_TRUE(last->cancellation.IsCancelled());
  EXPECT_THAT(notices_, Each(HasSubstr("master:1 has not answered")));
}

TEST_F(PatientCallTest, EndsWhenItIsCancelled) {
  wait_.cancellation = std::make_shared<Cancellation>();
  NeverAnswer();
  timers_.After(seconds(2), [this] {
    wait_.cancellation->Cancel(absl::CancelledError("enough"));
  });
  EXPECT_EQ(Call().status().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(times_, ElementsAre(1));
}

}  // namespace
}  // namespace leat::patient_call_test
