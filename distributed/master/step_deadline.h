// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The errors of a step whose time is up. Stateless, thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_STEP_DEADLINE_H_
#define LEAT_DISTRIBUTED_MASTER_STEP_DEADLINE_H_

#include "absl/status/status.h"
#include "leat/runtime/graph_runner.h"

namespace leat {

// Return DEADLINE_EXCEEDED for a step that was too late to begin, or that ran
// too long. If the server's limit was shorter than the client's timeout, the
// message names the limit's flag.
absl::Status TooLateToBegin(const StepDeadline& deadline);
absl::Status RanTooLong(const StepDeadline& deadline);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_STEP_DEADLINE_H_
