// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WaitForPlan: lets a client wait for a plan until the client's time is up or
// the client goes away. The plan, which may be for other clients too, is
// completed all the same. Thread-safe.
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

// What ends the wait of a client.
struct Patience {
  // The step's deadline, if it has one.
  std::optional<StepDeadline> deadline = {};
  // The client's call, whose cancellation ends the wait. May be null.
  std::shared_ptr<CallContext> call = {};
};

// Asks `plans` for a plan (RegisteredPlans::Get). Calls `done` exactly once, on
// any thread, perhaps this one, with whichever comes first: the result of Get,
// which is null if the client has to ask again, DEADLINE_EXCEEDED, or the
// reason of the cancellation. A client that has gone leaves nothing in the
// table. `timers` is borrowed and must outlive the wait.
void WaitForPlan(const std::shared_ptr<RegisteredPlans>& plans,
                 const std::string& key, int64_t graph_version,
                 RegisteredPlans::Make make, TimerQueue& timers,
                 const Patience& patience, RegisteredPlans::Done done);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_PLAN_WAIT_H_
