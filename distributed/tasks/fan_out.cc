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
               std::move(results[i]));
  }
}

absl::Status FirstError(const std::vector<std::string>& tasks,
                        const std::vector<absl::StatusOr<Payload>>& replies) {
  for (size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i].ok()) return WithTask(replies[i].status(), tasks[i]);
  }
  return absl::OkStatus();
}

}  // namespace leat
