// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepDeadline: says when a step must have ended, and makes the errors of a
// step whose time is up. Stateless, thread-safe.
#ifndef LEAT_RUNTIME_STEP_DEADLINE_H_
#define LEAT_RUNTIME_STEP_DEADLINE_H_

#include <chrono>

#include "absl/status/status.h"
#include "leat/core/threads/clock.h"

namespace leat {

// The time at which a step must have ended, and the timeout that led to it, for
// messages.
struct StepDeadline {
  // The clock of `at`. Borrowed. Must not be null.
  Clock* clock = nullptr;
  Clock::time_point at = {};
  std::chrono::nanoseconds timeout = {};
  // True if `timeout` is the most time that the server grants any step, and not
  // the client's choice.
  bool is_longest = false;
};

// Return DEADLINE_EXCEEDED for a step that was too late to begin, or that ran
// too long. If the server's limit was shorter than the client's timeout, the
// message names the limit's flag.
absl::Status TooLateToBegin(const StepDeadline& deadline);
absl::Status RanTooLong(const StepDeadline& deadline);

}  // namespace leat

#endif  // LEAT_RUNTIME_STEP_DEADLINE_H_
