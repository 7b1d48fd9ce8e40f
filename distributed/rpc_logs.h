// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// RPC logs: tasks of TensorFlow put the tensors that they pull of others into
// logs of their own, when told, and not into what RunGraph returns (as tasks of
// Leat do). Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_RPC_LOGS_H_
#define LEAT_DISTRIBUTED_RPC_LOGS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "leat/core/cancellation.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/tasks.h"

namespace leat::pb {
class StepStats;
}  // namespace leat::pb

namespace leat {

// Tells the tasks to log; `done` exactly once, when all have answered or have
// had their time for it, or once `cancellation` (may be null) is cancelled. A
// task that does not has no log, which is no error.
void StartRpcLogs(Tasks& tasks, const std::vector<std::string>& names,
                  std::shared_ptr<Cancellation> cancellation,
                  absl::AnyInvocable<void() &&> done);

// Tells them to stop, after each StartRpcLogs, and asks for what they have of
// that step: `done` exactly once, on `compute`, with stats in the order of the
// tasks, empty where there are none. Cancelled by nothing: else a task might go
// on logging.
void EndRpcLogs(Tasks& tasks, const std::vector<std::string>& names,
                int64_t step_id, WorkQueue& compute,
                absl::AnyInvocable<void(std::vector<pb::StepStats>) &&> done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_RPC_LOGS_H_
