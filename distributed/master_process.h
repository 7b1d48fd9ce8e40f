// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// MasterProcess: a task as the master of sessions on others, and which process
// of that task.
#ifndef LEAT_DISTRIBUTED_MASTER_PROCESS_H_
#define LEAT_DISTRIBUTED_MASTER_PROCESS_H_

#include <compare>
#include <cstdint>
#include <string>

namespace leat {

struct MasterProcess {
  std::string task = {};    // "/job:worker/replica:0/task:0"; "": not known
  int64_t incarnation = 0;  // of its first device

  friend auto operator<=>(const MasterProcess&, const MasterProcess&) = default;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_PROCESS_H_
