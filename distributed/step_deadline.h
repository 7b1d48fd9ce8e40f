// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// What a step is told whose time is up. Stateless.
#ifndef LEAT_DISTRIBUTED_STEP_DEADLINE_H_
#define LEAT_DISTRIBUTED_STEP_DEADLINE_H_

#include "absl/status/status.h"
#include "leat/runtime/graph_runner.h"

namespace leat {

// DEADLINE_EXCEEDED, with the flag of a limit that was nearer than what the
// client had asked for.
absl::Status TooLateToBegin(const StepDeadline& deadline);
absl::Status RanTooLong(const StepDeadline& deadline);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_STEP_DEADLINE_H_
