// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/fan_out.h"

#include "leat/core/status_payloads.h"

namespace leat {

void FanOut(TaskCaller& tasks, const Method& method,
            std::vector<TaskCall> calls, const CallOptions& options,
            Gather<Payload>::Done done) {
  std::vector<Gather<Payload>::Result> results =
      Gather<Payload>::Make(calls.size(), std::move(done));
  for (size_t i = 0; i < calls.size(); ++i) {
    tasks.Call(calls[i].task, method, std::move(calls[i].request), options,
               [task = calls[i].task, result = std::move(results[i])](
                   absl::StatusOr<Payload> reply) mutable {
                 if (!reply.ok()) reply = WithTask(reply.status(), task);
                 std::move(result)(std::move(reply));
               });
  }
}

absl::Status FirstError(const std::vector<absl::StatusOr<Payload>>& replies) {
  for (const absl::StatusOr<Payload>& reply : replies) {
    if (!reply.ok()) return reply.status();
  }
  return absl::OkStatus();
}

}  // namespace leat
