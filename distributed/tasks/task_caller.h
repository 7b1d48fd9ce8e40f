// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TaskCaller is the interface by which a master calls the tasks of a cluster. A
// server's implementation calls the server's own task directly
// (server_task_caller.h). Tests have implementations that stand in for tasks.
#ifndef LEAT_DISTRIBUTED_TASKS_TASK_CALLER_H_
#define LEAT_DISTRIBUTED_TASKS_TASK_CALLER_H_

#include <chrono>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/clock.h"
#include "leat/distributed/exchange/peer.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

// Calls tasks by their names, such as "/job:ps/replica:0/task:0". A master may
// have to stop while a task is silent, so every call can be cancelled. Steps,
// sessions and clients cancel the calls that they wait for. Stop cancels every
// other call.
//
// Implementations are thread-safe. They must outlive the calls that are begun
// through them.
class TaskCaller {
 public:
  using StatusDone = Peer::StatusDone;

  // `answer_timeout` is how long a task may take to answer a call that requires
  // no work. The deadlines of calls are times of `clock`, which must outlive
  // this.
  TaskCaller(std::chrono::nanoseconds answer_timeout, Clock& clock)
      : answer_timeout_(answer_timeout), clock_(clock) {}
  TaskCaller(const TaskCaller&) = delete;
  TaskCaller& operator=(const TaskCaller&) = delete;
  virtual ~TaskCaller() = default;

  Clock& clock() const { return clock_; }
  // Returns the options of a call that requires no work. Its deadline is one
  // answer timeout from now.
  CallOptions ShortCall() const {
    return {.deadline = clock_.After(answer_timeout_)};
  }

  // Calls a method of `task`. Gives `done` the response, NOT_FOUND for a task
  // that is not in the cluster, or the error of the call. A transport error
  // names the task and its address (Peer::NameTransportError). Calls `done`
  // exactly once, on any thread, perhaps the calling thread.
  void Call(absl::string_view task, const Method& method, Payload request,
            CallOptions options, Reply done) {
    DoCall(task, method, std::move(request), Stoppable(std::move(options)),
           std::move(done));
  }
  // Does what Peer::GetStatus does. Fails with NOT_FOUND if the task is not in
  // the cluster. Calls `done` exactly once, on any thread, perhaps the calling
  // thread.
  void GetStatus(absl::string_view task, CallOptions options, StatusDone done) {
    DoGetStatus(task, Stoppable(std::move(options)), std::move(done));
  }

  // Cancels all present and future calls whose options have no cancellation,
  // with the status `why` (not OK). Is idempotent.
  void Stop(const absl::Status& why) { stopping_->Cancel(why); }

 private:
  // These functions implement Call and GetStatus. The cancellation in `options`
  // is not null.
  virtual void DoCall(absl::string_view task, const Method& method,
                      Payload request, CallOptions options, Reply done) = 0;
  virtual void DoGetStatus(absl::string_view task, CallOptions options,
                           StatusDone done) = 0;

  // Returns `options`. If they have no cancellation, adds one that Stop
  // cancels.
  CallOptions Stoppable(CallOptions options) const {
    if (options.cancellation == nullptr) options.cancellation = stopping_;
    return options;
  }

  const std::chrono::nanoseconds answer_timeout_;
  Clock& clock_;
  const std::shared_ptr<Cancellation> stopping_ =
      std::make_shared<Cancellation>();
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_TASK_CALLER_H_
