// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// How a client waits for a plan, which is made for others too: until its time
// is up or it goes. The plan goes on being made. Thread-safe.
#ifndef LEAT_DISTRIBUTED_PLAN_WAIT_H_
#define LEAT_DISTRIBUTED_PLAN_WAIT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "leat/core/timer_queue.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/plan_table.h"
#include "leat/runtime/graph_runner.h"

namespace leat {

// How long a client waits.
struct Patience {
  std::optional<StepDeadline> deadline = {};
  // Its cancellation ends the wait. May be null.
  std::shared_ptr<CallContext> call = {};
};

// PlanTable::Get, of which `done` is told, or of DEADLINE_EXCEEDED or the
// reason of the cancellation, whichever comes first; exactly once, on any
// thread, perhaps this one. Nothing of who has gone stays in the table.
// `timers` is borrowed and outlives the wait.
void WaitForPlan(const std::shared_ptr<PlanTable>& plans,
                 const std::string& key, int64_t graph_version,
                 PlanTable::Make make, TimerQueue& timers,
                 const Patience& patience, PlanTable::Done done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_PLAN_WAIT_H_
