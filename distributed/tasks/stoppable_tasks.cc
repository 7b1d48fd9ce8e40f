// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/tasks/stoppable_tasks.h"

#include <utility>

namespace leat {

void StoppableTasks::Call(absl::string_view task, const Method& method,
                          Payload request, CallOptions options, Reply done) {
  tasks_.Call(task, method, std::move(request), Stoppable(std::move(options)),
              std::move(done));
}

void StoppableTasks::GetStatus(absl::string_view task, CallOptions options,
                               StatusDone done) {
  tasks_.GetStatus(task, Stoppable(std::move(options)), std::move(done));
}

CallOptions StoppableTasks::Stoppable(CallOptions options) const {
  if (options.cancellation == nullptr) options.cancellation = stopping_;
  return options;
}

}  // namespace leat
