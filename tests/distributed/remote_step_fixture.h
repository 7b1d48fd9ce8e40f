// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A step of two tasks whose replies the test gives.
#ifndef LEAT_TESTS_DISTRIBUTED_REMOTE_STEP_FIXTURE_H_
#define LEAT_TESTS_DISTRIBUTED_REMOTE_STEP_FIXTURE_H_

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/remote_step.h"
#include "leat/tests/distributed/fake_tasks.h"

namespace leat::testing {

inline constexpr char kPs[] = "/job:ps/replica:0/task:0";
inline constexpr char kWorker[] = "/job:worker/replica:0/task:0";

// x goes to the ps, u to the worker; a comes from the ps, b from the worker.
inline std::shared_ptr<RegisteredPlan> Plan() {
  auto plan = std::make_shared<RegisteredPlan>();
  plan->feeds = {.names = {"x", "u"},
                 .types = {DType::kFloat, DType::kFloat},
                 .shapes = {PartialShape{2}, PartialShape{2}}};
  plan->fetches = {"b", "a"};
  plan->parts.push_back(
      {.task = kPs,
       .boundary = {.feeds = {{"key x", 0, DType::kFloat}},
                    .fetches = {{"key a", 1, DType::kFloat}}}});
  plan->parts.push_back(
      {.task = kWorker,
       .boundary = {.feeds = {{"key u", 1, DType::kFloat}},
                    .fetches = {{"key b", 0, DType::kFloat}}}});
  for (TaskPart& part : plan->parts) SetGraphHandle("s", "g", part);
  return plan;
}

inline Payload Failure(const absl::Status& status) {
  pb::RunGraphResponse response;
  response.set_status_code(static_cast<int>(status.code()));
  response.set_status_error_message(std::string(status.message()));
  response.mutable_leat()->set_payloads(EncodePayloads(status));
  return {.header = response.SerializeAsString()};
}

inline Payload Success(const std::string& key, float value) {
  Payload payload;
  payload.tensors.push_back({key, Tensor::Scalar(value)});
  return payload;
}

inline std::string From(const std::string& task, absl::string_view message) {
  return absl::StrCat("From ", task, ":\n", message);
}

class RemoteStepTest : public ::testing::Test {
 protected:
  RemoteStepTest() {
    environment_ = {.tasks = &tasks_,
                    .timers = &timers_,
                    .compute = compute_.get(),
                    .allocator = &HostAllocator()};
    request_ = {.plan = Plan(),
                .feeds = {Tensor::Of<float>(Shape{2}, {1, 2}),
                          Tensor::Of<float>(Shape{2}, {3, 4})}};
  }
  // Every step ends.
  ~RemoteStepTest() override {
    if (!started_) return;
    EXPECT_EQ(ended_.wait_for(kPatience), kReady);
  }

  static constexpr auto kPatience = std::chrono::seconds(20);
  static constexpr auto kReady = std::future_status::ready;

  void Start() {
    started_ = true;
    step_ = RemoteStep::Start(
        environment_, request_,
        [this](StepResult result) {
          done_promise_.set_value(std::move(result));
        },
        [this] { ended_promise_.set_value(); });
  }

  // The calls of RunGraph by task.
  std::map<std::string, FakeTasks::Received> Runs() {
    std::map<std::string, FakeTasks::Received> runs;
    for (FakeTasks::Received& call : tasks_.Take(2)) {
      EXPECT_EQ(call.path, methods::kRunGraph.path);
      std::string task = call.task;
      runs.emplace(std::move(task), std::move(call));
    }
    return runs;
  }

  bool IsDone(std::chrono::milliseconds wait = std::chrono::milliseconds(0)) {
    return done_.wait_for(wait) == kReady;
  }
  StepResult Result() {
    if (IsDone(kPatience)) return done_.get();
    ADD_FAILURE() << "the step did not end";
    return {.status = absl::UnknownError("the step did not end")};
  }

  // Answers the CleanupGraphs, which must be those of this step.
  void CleanUp(size_t count = 2) {
    for (FakeTasks::Received& call : tasks_.Take(count)) {
      EXPECT_EQ(call.path, methods::kCleanupGraph.path);
      pb::CleanupGraphRequest request;
      EXPECT_TRUE(request.ParseFromString(call.request.header));
      EXPECT_EQ(request.step_id(), step_->step_id());
      EXPECT_NE(ended_.wait_for(std::chrono::milliseconds(0)), kReady);
      std::move(call.done)(Payload{});
    }
  }

  // Waits until the call is cancelled.
  static void AwaitCancel(const FakeTasks::Received& call) {
    std::promise<void> cancelled;
    Cancellation::Token token;
    if (!call.options.cancellation->Register(
            [&](const absl::Status&) { cancelled.set_value(); }, &token)) {
      return;
    }
    EXPECT_EQ(cancelled.get_future().wait_for(kPatience), kReady);
  }

  static void Reply(FakeTasks::Received& call,
                    absl::StatusOr<Payload> payload) {
    std::move(call.done)(std::move(payload));
  }

  FakeTasks tasks_;
  TimerQueue timers_{"test-timers"};
  const std::unique_ptr<WorkQueue> compute_ = NewThreadPool("compute", 1);
  StepEnvironment environment_;
  StepRequest request_;
  std::shared_ptr<RemoteStep> step_;
  bool started_ = false;
  std::promise<StepResult> done_promise_;
  std::future<StepResult> done_ = done_promise_.get_future();
  std::promise<void> ended_promise_;
  std::future<void> ended_ = ended_promise_.get_future();
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_REMOTE_STEP_FIXTURE_H_
