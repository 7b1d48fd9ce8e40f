// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MasterProcess: identifies a master by its task and by the process that runs
// this task. A task that is restarted has another incarnation. A master tells
// both to the workers when it creates a session on them, so that a worker can
// find out whether that process still exists (master_watch.h).
#ifndef LEAT_DISTRIBUTED_WORKER_MASTER_PROCESS_H_
#define LEAT_DISTRIBUTED_WORKER_MASTER_PROCESS_H_

#include <compare>
#include <cstdint>
#include <string>

namespace leat {

// A value, ordered by task.
struct MasterProcess {
  std::string task = {};    // "/job:worker/replica:0/task:0"; "" if unknown
  int64_t incarnation = 0;  // of the task's first device

  friend auto operator<=>(const MasterProcess&, const MasterProcess&) = default;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_WORKER_MASTER_PROCESS_H_
