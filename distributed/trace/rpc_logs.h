// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RPC logs: how a traced step gets the pulls of TensorFlow's tasks. Those tasks
// write the tensors that they pull from others into logs of their own, when
// told to, and not into the reply of RunGraph as tasks of Leat do. Stateless,
// thread-safe.
#ifndef LEAT_DISTRIBUTED_TRACE_RPC_LOGS_H_
#define LEAT_DISTRIBUTED_TRACE_RPC_LOGS_H_

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

// Tells the tasks `names` to log. Calls `done` exactly once: when all have
// answered or had two seconds for it, or once `cancellation` (may be null) is
// cancelled. A task that does not answer has no log, which is no error. `tasks`
// is borrowed until then.
void StartRpcLogs(TaskCaller& tasks, const std::vector<std::string>& names,
                  std::shared_ptr<Cancellation> cancellation,
                  absl::AnyInvocable<void() &&> done);

// Tells the tasks to stop, which must follow each StartRpcLogs, and asks for
// their logs of step `step_id`. Calls `done` exactly once, on `compute`, with
// the stats in the order of `names`; they are empty for a task without a log.
// It cannot be cancelled, because a task that is not told might go on logging.
void EndRpcLogs(TaskCaller& tasks, const std::vector<std::string>& names,
                int64_t step_id, WorkQueue& compute,
                absl::AnyInvocable<void(std::vector<pb::StepStats>) &&> done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRACE_RPC_LOGS_H_
