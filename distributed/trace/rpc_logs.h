// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A traced step records which tensors its tasks pull from each other. Tasks of
// Leat report their pulls in the reply of RunGraph. TensorFlow's tasks write
// their pulls to RPC logs instead, if StartRpcLogs tells them to. EndRpcLogs
// collects the logs. The functions are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_TRACE_RPC_LOGS_H_
#define LEAT_DISTRIBUTED_TRACE_RPC_LOGS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/tasks/task_caller.h"

namespace leat::pb {
class StepStats;
}  // namespace leat::pb

namespace leat {

// Tells the tasks in `names` to begin their logs. Calls `done` exactly once:
// when all tasks have answered, when `timeout` has passed, or when
// `cancellation` (may be null) is cancelled. A task that does not answer causes
// no error, but has no log. `tasks` is borrowed until `done` is called.
void StartRpcLogs(TaskCaller& tasks, const std::vector<std::string>& names,
                  std::chrono::nanoseconds timeout,
                  std::shared_ptr<Cancellation> cancellation,
                  absl::AnyInvocable<void() &&> done);

// Tells the tasks in `names` to stop logging, and asks them for their logs of
// step `step_id`. The tasks have `timeout` to answer. Must be called after each
// StartRpcLogs. Calls `done` exactly once, on `compute`, with the stats in the
// order of `names`. The stats of a task without a log are empty. The call
// cannot be cancelled, because a task that does not get the message might go on
// logging.
void EndRpcLogs(TaskCaller& tasks, const std::vector<std::string>& names,
                std::chrono::nanoseconds timeout, int64_t step_id,
                WorkQueue& compute,
                absl::AnyInvocable<void(std::vector<pb::StepStats>) &&> done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRACE_RPC_LOGS_H_
