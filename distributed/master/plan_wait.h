// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WaitForPlan lets a client wait for a plan. The wait ends early at the
// client's deadline or when the client cancels its call. The plan is still made
// after that, because other clients may wait for it. WaitForPlan is
// thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_PLAN_WAIT_H_
#define LEAT_DISTRIBUTED_MASTER_PLAN_WAIT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/master/registered_plan.h"
#include "leat/distributed/wire/methods.h"
#include "leat/runtime/step_deadline.h"

namespace leat {

// Holds the deadline and the call of a client. Each of them can end the
// client's wait before the plan is made.
struct Patience {
  // Is the deadline of the step. May be unset.
  std::optional<StepDeadline> deadline = {};
  // Is the client's call. Its cancellation ends the wait. May be null.
  std::shared_ptr<CallContext> call = {};
};

// Gets a plan from `plans` (RegisteredPlans::Get). Calls `done` exactly once,
// on any thread, perhaps the calling one. `done` gets the result of Get,
// DEADLINE_EXCEEDED, or the reason of the cancellation, whichever comes first.
// A null plan means that the client has to ask again. A wait that ends early
// removes its callback from `plans`. `timers` is borrowed and must outlive the
// wait.
void WaitForPlan(const std::shared_ptr<RegisteredPlans>& plans,
                 const std::string& key, int64_t graph_version,
                 RegisteredPlans::Make make, TimerQueue& timers,
                 const Patience& patience, RegisteredPlans::Done done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_PLAN_WAIT_H_
