// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CollectiveEnvironment holds what the sessions of a task share for their
// collectives. TellOthers tells the other tasks that a step or a group must
// end.
#ifndef LEAT_DISTRIBUTED_COLLECTIVES_COLLECTIVE_ENVIRONMENT_H_
#define LEAT_DISTRIBUTED_COLLECTIVES_COLLECTIVE_ENVIRONMENT_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/tasks/task_caller.h"
#include "leat/kernels/collective_resolver.h"

namespace leat {

// The pointers are borrowed.
struct CollectiveEnvironment {
  std::string task = {};    // "/job:worker/replica:0/task:0"
  std::string leader = {};  // the task at which groups form
  // Holds the names of the other tasks of the cluster.
  std::vector<std::string> others = {};
  TaskCaller* tasks = nullptr;
  TimerQueue* timers = nullptr;
  std::chrono::nanoseconds ask_members = {};  // the interval of MemberWatch
};

// Says which step has failed, or which group has lost a member.
struct AbortNotice {
  int64_t failed_step_id = 0;                   // 0 for none
  const CollectiveGroup* lost_group = nullptr;  // null for none
  absl::Status why = {};                        // not OK
};

// Tells all other tasks of the cluster. It is not known which of them wait:
// before a group is complete, only its leader knows the members. Does not wait
// for answers.
void TellOthers(const CollectiveEnvironment& environment,
                const AbortNotice& notice);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_COLLECTIVES_COLLECTIVE_ENVIRONMENT_H_
