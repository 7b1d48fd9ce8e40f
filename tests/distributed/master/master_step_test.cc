// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/master_step.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/buffer.h"
#include "leat/core/status_payloads.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/distributed/master/master_step_fixture.h"

namespace leat::master_step_test {
namespace {

using std::chrono::milliseconds;
using testing::Failure;
using testing::From;
using ::testing::HasSubstr;
using testing::kPs;
using testing::kWorker;
using testing::MasterStepTest;
using testing::Plan;
using testing::Success;

TEST_F(MasterStepTest, GivesFeedsToTheirTasksAndFetchesInOrder) {
  Start();
  auto runs = Runs();
  ASSERT_EQ(runs.size(), 2);
  pb::RunGraphRequest ps, worker;
  ASSERT_TRUE(ps.ParseFromString(runs[kPs].request.header));
  ASSERT_TRUE(worker.ParseFromString(runs[kWorker].request.header));
  EXPECT_EQ(ps.step_id(), step_->step_id());
  EXPECT_EQ(worker.step_id(), step_->step_id());
  EXPECT_NE(ps.request_id(), worker.request_id());
  ASSERT_EQ(runs[kPs].request.tensors.size(), 1);
  EXPECT_EQ(runs[kPs].request.tensors[0].name, "key x");
  EXPECT_EQ(runs[kPs].request.tensors[0].tensor.raw_data(),
            request_.feeds[0].raw_data());
  EXPECT_EQ(runs[kWorker].request.tensors[0].name, "key u");
  Reply(runs[kWorker], Success("key b", 5));
  EXPECT_FALSE(IsDone());
  Reply(runs[kPs], Success("key a", 6));
  const StepResult result = Result();
  ASSERT_TRUE(result.status.ok()) << result.status;
  ASSERT_EQ(result.fetches.size(), 2);
  EXPECT_EQ(result.fetches[0].scalar<float>(), 5);
  EXPECT_EQ(result.fetches[1].scalar<float>(), 6);
  CleanUp();
}

TEST_F(MasterStepTest, ChecksFeedsBeforeAnythingIsSent) {
  request_.feeds[1] = Tensor::Scalar(1.0f);
  Start();
  EXPECT_TRUE(absl::IsInvalidArgument(Result().status));
  EXPECT_EQ(tasks_.num_calls(), 0);
}

TEST_F(MasterStepTest, APartThatEndsAloneIsNotCleanedUp) {
  auto plan = Plan();
  plan->parts[0].ends_alone = true;
  request_.plan = plan;
  Start();
  auto runs = Runs();
  Reply(runs[kPs], Success("key a", 6));
  Reply(runs[kWorker], Success("key b", 5));
  EXPECT_TRUE(Result().status.ok());
  auto calls = tasks_.Take(1);
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0].task, kWorker);
  Reply(calls[0], Payload{});
}

TEST_F(MasterStepTest, AnErrorCancelsTheOthers) {
  Start();
  auto runs = Runs();
  Reply(runs[kPs], Failure(absl::InvalidArgumentError("bad index")));
  ASSERT_TRUE(runs[kWorker].options.cancellation->IsCancelled());
  EXPECT_TRUE(IsDerived(runs[kWorker].options.cancellation->status()));
  EXPECT_FALSE(IsDone());
  Reply(runs[kWorker], absl::CancelledError("cancelled"));
  EXPECT_EQ(Result().status,
            absl::InvalidArgumentError(From(kPs, "bad index")));
  CleanUp();
}

TEST_F(MasterStepTest, WaitsForTheCauseOfADerivedError) {
  environment_->intervals.wait_for_cause = std::chrono::hours(1);
  Start();
  auto runs = Runs();
  Reply(runs[kWorker],
        Failure(AsDerived(absl::InvalidArgumentError("bad index"))));
  EXPECT_FALSE(runs[kPs].options.cancellation->IsCancelled());
  Reply(runs[kPs], Failure(absl::InvalidArgumentError("bad index of 'x'")));
  EXPECT_EQ(Result().status,
            absl::InvalidArgumentError(From(kPs, "bad index of 'x'")));
  CleanUp();
}

TEST_F(MasterStepTest, DoesNotWaitForACauseForEver) {
  environment_->intervals.wait_for_cause = milliseconds(20);
  Start();
  auto runs = Runs();
  const Clock::time_point begun = clock_.Now();
  Reply(runs[kWorker], Failure(AsDerived(absl::AbortedError("gone"))));
  AwaitCancel(runs[kPs]);
  EXPECT_EQ(clock_.Now() - begun, milliseconds(20));
  Reply(runs[kPs], absl::CancelledError("cancelled"));
  EXPECT_TRUE(absl::IsAborted(Result().status));
  CleanUp();
}

TEST_F(MasterStepTest, AnswersWithoutATaskThatDoesNot) {
  environment_->intervals.wait_for_replies = milliseconds(20);
  Start();
  auto runs = Runs();
  const Clock::time_point begun = clock_.Now();
  Reply(runs[kPs], Failure(absl::InternalError("broken")));
  EXPECT_EQ(Result().status, absl::InternalError(From(kPs, "broken")));
  EXPECT_EQ(clock_.Now() - begun, milliseconds(20));
  EXPECT_EQ(tasks_.num_calls(), 0);  // The step still runs on kWorker.
  Reply(runs[kWorker], Success("key b", 5));
  CleanUp();
}

TEST_F(MasterStepTest, EndsAtItsDeadline) {
  const Clock::time_point begun = clock_.Now();
  request_.deadline = StepDeadline{.clock = &clock_,
                                   .at = begun + milliseconds(20),
                                   .timeout = milliseconds(20)};
  Start();
  auto runs = Runs();
  AwaitCancel(runs[kPs]);
  EXPECT_EQ(clock_.Now() - begun, milliseconds(20));
  Reply(runs[kPs], absl::CancelledError("cancelled"));
  Reply(runs[kWorker], absl::CancelledError("cancelled"));
  EXPECT_EQ(Result().status,
            absl::DeadlineExceededError(
                "Deadline Exceeded\n\tthe step ran longer than its timeout of "
                "20ms"));
  CleanUp();
}

TEST_F(MasterStepTest, EndsWhenItsClientIsGone) {
  request_.call = std::make_shared<CallContext>();
  Start();
  auto runs = Runs();
  request_.call->cancellation.Cancel(absl::CancelledError("client is gone"));
  EXPECT_TRUE(runs[kPs].options.cancellation->IsCancelled());
  Reply(runs[kPs], absl::CancelledError("cancelled"));
  Reply(runs[kWorker], Failure(AsDerived(absl::AbortedError("ended"))));
  EXPECT_EQ(Result().status, absl::CancelledError("client is gone"));
  CleanUp();
}

TEST_F(MasterStepTest, OfAClientThatIsGoneAlreadyRunsNothing) {
  request_.call = std::make_shared<CallContext>();
  request_.call->cancellation.Cancel(absl::CancelledError("client is gone"));
  Start();
  auto runs = Runs();
  for (auto& [task, call] : runs) {
    EXPECT_TRUE(call.options.cancellation->IsCancelled());
    Reply(call, absl::CancelledError("cancelled"));
  }
  EXPECT_EQ(Result().status, absl::CancelledError("client is gone"));
  CleanUp();
}

TEST_F(MasterStepTest, CancelAfterItsEndDoesNothing) {
  Start();
  auto runs = Runs();
  Reply(runs[kPs], Success("key a", 6));
  Reply(runs[kWorker], Success("key b", 5));
  EXPECT_TRUE(Result().status.ok());
  step_->Cancel(absl::CancelledError("closed"));
  CleanUp();
}

TEST_F(MasterStepTest, RefusesRepliesThatDoNotFitThePlan) {
  struct Case {
    absl::StatusOr<Payload> reply;
    std::string message;
  };
  std::vector<Case> cases;
  cases.push_back({Payload{}, "did not return 'a'"});
  cases.push_back({Success("key z", 1), "'key z', which was not asked for"});
  cases.push_back({Payload{.header = "\x0a\xff"}, "malformed"});
  Payload other_type;
  other_type.tensors.push_back({"key a", Tensor::Scalar(int32_t{1})});
  cases.push_back({std::move(other_type), "fetch 'a' has type int32"});
  Payload twice = Success("key a", 1);
  twice.tensors.push_back(twice.tensors[0]);
  cases.push_back({std::move(twice), "or returned it twice"});
  for (Case& c : cases) {
    Start();
    auto runs = Runs();
    Reply(runs[kPs], std::move(c.reply));
    Reply(runs[kWorker], absl::CancelledError("cancelled"));
    const absl::Status status = Result().status;
    EXPECT_TRUE(absl::IsInternal(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(c.message));
    EXPECT_THAT(status.message(), HasSubstr(kPs));
    CleanUp();
    EXPECT_TRUE(ended_->Wait());
  }
}

// Holds the tensors of a reply that is received but not decoded yet, like a
// reply from gRPC. Decode sets `thread` to the id of the calling thread.
class ReceivedTensors final : public PendingTensors {
 public:
  ReceivedTensors(std::string key, int64_t bytes, std::thread::id* thread)
      : key_(std::move(key)), bytes_(bytes), thread_(thread) {}
  int64_t bytes() const override { return bytes_; }
  bool IsQuick() const override { return bytes() <= kMaxInlineBytes; }
  absl::StatusOr<WireTensors> Decode(Allocator&, const VariantDecoders*,
                                     int64_t) override {
    *thread_ = std::this_thread::get_id();
    WireTensors tensors;
    tensors.push_back({key_, Tensor::Scalar(1.0f)});
    return tensors;
  }

 private:
  const std::string key_;
  const int64_t bytes_;
  std::thread::id* const thread_;
};

TEST_F(MasterStepTest, DecodesLargeRepliesOnThePool) {
  Start();
  auto runs = Runs();
  std::thread::id small, large;
  Payload payload;
  payload.pending = std::make_unique<ReceivedTensors>("key a", 100, &small);
  Reply(runs[kPs], std::move(payload));
  payload = {};
  payload.pending = std::make_unique<ReceivedTensors>("key b", 1 << 20, &large);
  Reply(runs[kWorker], std::move(payload));
  EXPECT_TRUE(Result().status.ok());
  EXPECT_EQ(small, std::this_thread::get_id());
  EXPECT_NE(large, std::this_thread::get_id());
  CleanUp();
}

TEST_F(MasterStepTest, OfNoTaskIsOverAtOnce) {
  auto plan = std::make_shared<RegisteredPlan>();
  request_ = {.plan = plan};
  Start();
  EXPECT_TRUE(Result().status.ok());
}

TEST_F(MasterStepTest, AnswersOnceWhateverComesAtTheSameTime) {
  for (int round = 0; round < 200; ++round) {
    request_.call = std::make_shared<CallContext>();
    Start();
    auto runs = Runs();
    std::vector<Thread> threads;
    threads.emplace_back("fails", [&] {
      Reply(runs[kPs], Failure(absl::InternalError("broken")));
    });
    threads.emplace_back("answers",
                         [&] { Reply(runs[kWorker], Success("key b", 5)); });
    threads.emplace_back("gives up", [&] {
      request_.call->cancellation.Cancel(absl::CancelledError("client"));
    });
    threads.emplace_back(
        "closes", [&] { step_->Cancel(absl::CancelledError("closed")); });
    threads.clear();
    EXPECT_EQ(Result().status, absl::InternalError(From(kPs, "broken")));
    CleanUp();
    EXPECT_TRUE(ended_->Wait());
  }
}

}  // namespace
}  // namespace leat::master_step_test
