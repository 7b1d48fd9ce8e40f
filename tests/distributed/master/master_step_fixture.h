// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the fixture for tests of MasterStep. It runs a step on two tasks, and
// the test replies for the tasks.
#ifndef LEAT_TESTS_DISTRIBUTED_MASTER_MASTER_STEP_FIXTURE_H_
#define LEAT_TESTS_DISTRIBUTED_MASTER_MASTER_STEP_FIXTURE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/master/master_environment.h"
#include "leat/distributed/master/master_step.h"
#include "leat/distributed/tasks/end_notices.h"
#include "leat/graph/op_registry.h"
#include "leat/tests/distributed/fake_task_caller.h"
#include "leat/tests/testing/awaited.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::testing {

// These are the tasks of the step.
inline constexpr char kPs[] = "/job:ps/replica:0/task:0";
inline constexpr char kWorker[] = "/job:worker/replica:0/task:0";

// Returns a plan with two feeds and two fetches. The feed x goes to the ps, and
// u goes to the worker. The fetch a comes from the ps, and b comes from the
// worker.
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
  for (TaskPart& part : plan->parts)
    SetGraphHandle("s", "g", /*is_partial=*/false, part);
  return plan;
}

// Returns the RunGraph response of a part that failed with `status`.
inline Payload Failure(const absl::Status& status) {
  pb::RunGraphResponse response;
  response.set_status_code(static_cast<int>(status.code()));
  response.set_status_error_message(std::string(status.message()));
  response.mutable_leat()->set_payloads(EncodePayloads(status));
  return {.header = response.SerializeAsString()};
}

// Returns the RunGraph response of a part that returns one scalar.
inline Payload Success(const std::string& key, float value) {
  Payload payload;
  payload.tensors.push_back({key, Tensor::Scalar(value)});
  return payload;
}

// Returns the message of the error that the master returns if `task` fails with
// `message`.
inline std::string From(const std::string& task, absl::string_view message) {
  return absl::StrCat("From ", task, ":\n", message);
}

// Runs one step after another. Start begins a step. A FakeTaskCaller takes the
// calls of the step, and the test answers them.
class MasterStepTest : public ::testing::Test {
 protected:
  MasterStepTest() {
    environment_->ops = &BuiltinOps();
    environment_->tasks = &tasks_;
    environment_->timers = &timers_;
    environment_->blocking = blocking_.get();
    environment_->notices = std::make_shared<EndNotices>("", tasks_, timers_);
    // Normally EndNotices tells the tasks later that a step has ended. After
    // this Stop, each step itself tells its tasks.
    environment_->notices->Stop();
    request_ = {.plan = Plan(),
                .feeds = {Tensor::Of<float>(Shape{2}, {1, 2}),
                          Tensor::Of<float>(Shape{2}, {3, 4})}};
  }
  // Expects that the step which was started last has ended.
  ~MasterStepTest() override {
    if (!started_) return;
    EXPECT_TRUE(ended_->Wait());
  }

  // Starts a step with `environment_` and `request_`, which a test may change
  // before this call. The step that was started before must have ended.
  void Start() {
    if (started_) {
      EXPECT_TRUE(ended_->Wait());
    }
    started_ = true;
    done_ = std::make_unique<Awaited<StepResult>>();
    ended_ = std::make_unique<Event>();
    step_ = MasterStep::Start(
        environment_, HostAllocator(), request_,
        [this](StepResult result) { done_->Set(std::move(result)); },
        [this] { ended_->Set(); });
  }

  // Returns the RunGraph calls to both tasks, by task.
  std::map<std::string, FakeTaskCaller::Received> Runs() {
    std::map<std::string, FakeTaskCaller::Received> runs;
    for (FakeTaskCaller::Received& call : tasks_.Take(2)) {
      EXPECT_EQ(call.path, methods::kRunGraph.path);
      std::string task = call.task;
      runs.emplace(std::move(task), std::move(call));
    }
    return runs;
  }

  // Returns true if the step has a result.
  bool IsDone() { return done_->IsSet(); }
  // Waits for the result and returns it. Must be called once for each Start.
  StepResult Result() { return done_->Take(); }

  // Takes and answers `count` CleanupGraph calls of this step. Expects that the
  // step does not end before they are answered.
  void CleanUp(size_t count = 2) {
    for (FakeTaskCaller::Received& call : tasks_.Take(count)) {
      EXPECT_EQ(call.path, methods::kCleanupGraph.path);
      pb::CleanupGraphRequest request;
      EXPECT_TRUE(request.ParseFromString(call.request.header));
      EXPECT_EQ(request.step_id(), step_->step_id());
      EXPECT_FALSE(ended_->IsSet());
      std::move(call.done)(Payload{});
    }
  }

  // Waits until the step cancels the call.
  static void AwaitCancel(const FakeTaskCaller::Received& call) {
    Event cancelled;
    Cancellation::Token token;
    if (!call.options.cancellation->Register(
            [&](const absl::Status&) { cancelled.Set(); }, &token)) {
      return;
    }
    EXPECT_TRUE(cancelled.Wait());
  }

  // Answers the call.
  static void Reply(FakeTaskCaller::Received& call,
                    absl::StatusOr<Payload> payload) {
    std::move(call.done)(std::move(payload));
  }

  SimulatedClock clock_;
  FakeTaskCaller tasks_{{}, {}, clock_};
  TimerQueue timers_{"test-timers", clock_};
  const std::unique_ptr<WorkQueue> blocking_ = NewThreadPool("blocking", 1);
  const std::shared_ptr<MasterEnvironment> environment_ =
      std::make_shared<MasterEnvironment>();
  StepRequest request_;
  std::shared_ptr<MasterStep> step_;
  bool started_ = false;
  // `done_` receives the result of the step that was started last. `ended_` is
  // set when this step has ended.
  std::unique_ptr<Awaited<StepResult>> done_;
  std::unique_ptr<Event> ended_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_MASTER_MASTER_STEP_FIXTURE_H_
