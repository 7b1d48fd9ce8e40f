// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ServerTaskCaller is the TaskCaller of a server's master. It calls the
// handlers of the server's own task directly. It calls other tasks through
// their Peers.
#ifndef LEAT_DISTRIBUTED_TASKS_SERVER_TASK_CALLER_H_
#define LEAT_DISTRIBUTED_TASKS_SERVER_TASK_CALLER_H_

#include <chrono>
#include <string>

#include "leat/core/threads/clock.h"
#include "leat/distributed/tasks/task_caller.h"
#include "leat/distributed/wire/methods.h"

namespace leat {

class Peers;

// Is thread-safe. It must outlive the calls that are begun through it.
class ServerTaskCaller final : public TaskCaller {
 public:
  // `methods` are the methods of `own_task`. `methods` and `peers` are borrowed
  // and must outlive this. TaskCaller describes the other arguments.
  ServerTaskCaller(std::string own_task, const MethodTable& methods,
                   const Peers& peers, std::chrono::nanoseconds answer_timeout,
                   Clock& clock);

 private:
  // A call to `own_task` runs the handler on the caller's thread, unless the
  // call has already been cancelled. The call ends only when the handler
  // replies. The deadline and the cancellation of the call are passed to the
  // handler.
  void DoCall(absl::string_view task, const Method& method, Payload request,
              CallOptions options, Reply done) override;
  // Calls `task` as a peer, at its address in the cluster, even if it is
  // `own_task`.
  void DoGetStatus(absl::string_view task, CallOptions options,
                   StatusDone done) override;

  const std::string own_task_;
  const MethodTable& methods_;
  const Peers& peers_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TASKS_SERVER_TASK_CALLER_H_
