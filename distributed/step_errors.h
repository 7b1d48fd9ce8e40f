// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Which of the errors that the tasks of a step report is its cause. One failure
// is seen by many: the tasks that waited for its tensors, those that the master
// cancelled then. Stateless.
#ifndef LEAT_DISTRIBUTED_STEP_ERRORS_H_
#define LEAT_DISTRIBUTED_STEP_ERRORS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace leat {

// How a task's part of a step ended.
struct TaskStatus {
  // "/job:ps/replica:0/task:0"; "": not a task but the master ended the step,
  // for its client, its deadline or because the session was closed.
  std::string task = {};
  absl::Status status = {};
  // It came after the master had cancelled the task's part.
  bool after_cancel = false;
};

// The cause, with "From /job:ps/replica:0/task:0:\n" in front when it is a
// task's; OK when all are. `statuses` in the order in which they came: of equal
// claims the first wins. In this order of precedence:
//
// 1. What a task reports of its own: no echo, so not
//    - derived (core/status_payloads.h),
//    - CANCELLED, or TensorFlow's "Step N cancelled.  Cancelling rendezvous.",
//      after the master's cancel,
//    - a TensorFlow task's error of a RecvTensor, which names the task it
//    asked,
//    - that another task of the step could not be reached, when the master
//      could not reach that one either.
// 2. An echo that names the task it is of, which has not reported by itself:
//    as that task's.
// 3. Why the master ended the step.
// 4. Any other echo.
absl::Status CauseOf(absl::Span<const TaskStatus> statuses);

// It may be what another task's failure did to this one, so that the cause is
// still to come: not yet a reason to cancel the others.
bool MayBeEcho(const TaskStatus& status);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_STEP_ERRORS_H_
