// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeTaskCaller stands for the tasks that a master calls. If the test's
// callback provides an answer to a call, FakeTaskCaller answers the call at
// once. Otherwise it keeps the call until the test answers the call.
#ifndef LEAT_TESTS_DISTRIBUTED_FAKE_TASK_CALLER_H_
#define LEAT_TESTS_DISTRIBUTED_FAKE_TASK_CALLER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/tasks/task_caller.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/wait_limit.h"

namespace leat {

// A FakeTaskCaller is thread-safe. Owns each call until Take returns the call.
class FakeTaskCaller final : public TaskCaller {
 public:
  // Describes a call that a task has received.
  struct Received {
    std::string task = {};
    std::string path = {};
    Payload request = {};
    CallOptions options = {};
    Reply done = {};  // null if the call was answered at once
  };
  // Is called with each call, on the caller's thread. If it sets `answer`, the
  // call is answered at once.
  using OnCall = std::function<void(
      const Received& call, std::optional<absl::StatusOr<Payload>>& answer)>;
  // Is called by GetStatus and returns its answer.
  using OnGetStatus = std::function<absl::StatusOr<PeerStatus>(
      const std::string& task, const CallOptions& options)>;

  // If there is no `on_call`, no call is answered at once. If there is no
  // `on_get_status`, GetStatus must not be called. `clock` must outlive this
  // object.
  explicit FakeTaskCaller(OnCall on_call = {}, OnGetStatus on_get_status = {},
                          Clock& clock = testing::TestClock())
      : TaskCaller(std::chrono::seconds(10), clock),
        on_call_(std::move(on_call)),
        on_get_status_(std::move(on_get_status)) {}

  // Waits for `count` calls that no earlier Take has returned, and returns all
  // such calls. Fails the test if there are fewer than `count` at the
  // WaitLimit.
  std::vector<Received> Take(size_t count) {
    const Clock::time_point limit = testing::WaitLimit();
    MutexLock lock(mutex_);
    while (calls_.size() < count && changed_.WaitUntil(mutex_, limit)) {
    }
    EXPECT_GE(calls_.size(), count) << "calls";
    return std::exchange(calls_, {});
  }
  // Returns the number of calls that Take has not returned yet.
  size_t num_calls() const {
    MutexLock lock(mutex_);
    return calls_.size();
  }

 private:
  void DoCall(absl::string_view task, const Method& method, Payload request,
              CallOptions options, Reply done) override {
    Received call{.task = std::string(task),
                  .path = method.path,
                  .request = std::move(request),
                  .options = std::move(options)};
    std::optional<absl::StatusOr<Payload>> answer;
    if (on_call_) on_call_(call, answer);
    if (!answer.has_value()) call.done = std::move(done);
    {
      MutexLock lock(mutex_);
      calls_.push_back(std::move(call));
    }
    changed_.NotifyAll();
    if (answer.has_value()) std::move(done)(*std::move(answer));
  }

  // Answers the call at once with the result of `on_get_status`.
  void DoGetStatus(absl::string_view task, CallOptions options,
                   StatusDone done) override {
    std::move(done)(on_get_status_(std::string(task), options));
  }

  const OnCall on_call_;
  const OnGetStatus on_get_status_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<Received> calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_TESTS_DISTRIBUTED_FAKE_TASK_CALLER_H_
