// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepDeadline says when a step must have ended. TooLateToBegin and RanTooLong
// make the errors of a step whose time is up. The functions are stateless and
// thread-safe.
#ifndef LEAT_RUNTIME_STEP_DEADLINE_H_
#define LEAT_RUNTIME_STEP_DEADLINE_H_

#include <chrono>

#include "absl/status/status.h"
#include "leat/core/threads/clock.h"

namespace leat {

// Says when a step must have ended. Error messages show `timeout`, from which
// that time was computed.
struct StepDeadline {
  // Is the clock of `at`. Is borrowed. Must not be null.
  Clock* clock = nullptr;
  Clock::time_point at = {};
  std::chrono::nanoseconds timeout = {};
  // Is true if `timeout` is the server's limit for all steps (--max-step-time),
  // and not the client's choice.
  bool is_longest = false;
};

// TooLateToBegin returns DEADLINE_EXCEEDED for a step whose deadline passed
// before it began. RanTooLong returns DEADLINE_EXCEEDED for a step whose
// deadline passed while it ran. If `is_longest` is true, the message names the
// server's flag.
absl::Status TooLateToBegin(const StepDeadline& deadline);
absl::Status RanTooLong(const StepDeadline& deadline);

}  // namespace leat

#endif  // LEAT_RUNTIME_STEP_DEADLINE_H_
