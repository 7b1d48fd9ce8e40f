// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Finds the cause among the errors that the tasks of a step report. One failure
// causes many errors, because the tasks that wait for the failed task's tensors
// fail, too. The master then cancels the remaining tasks, which report errors
// as well. Is stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_MASTER_STEP_ERRORS_H_
#define LEAT_DISTRIBUTED_MASTER_STEP_ERRORS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace leat {

// Describes how a task's part of a step ended.
struct TaskStatus {
  // Is the task, such as "/job:ps/replica:0/task:0". "" means that the master
  // ended the step. The master ends a step when the client cancels its call,
  // when the deadline has passed, or when the session is closed.
  std::string task = {};
  absl::Status status = {};
  // Is true if the status came after the master had cancelled the task's part.
  bool after_cancel = false;
};

// Returns the cause of the failure, or OK if all statuses are OK. If the cause
// is the error of a task, its message begins with
// "From /job:ps/replica:0/task:0:\n". `statuses` are in the order in which they
// came. The list below ranks the kinds of errors. The cause is the first error
// of the kind that stands highest in the list.
//
// 1. An error that a task reports about itself. This is every error of a task
//    except the following errors, which are called echoes:
//    - an error that is marked as derived (core/status_payloads.h),
//    - CANCELLED, or TensorFlow's "Step N cancelled.  Cancelling rendezvous.",
//      if the error came after the master had cancelled the task's part,
//    - an error of a RecvTensor call that a task of TensorFlow made (the
//      message names the task that was asked for the tensor),
//    - an error that says that another task of the step could not be reached,
//      if the master could not reach that other task either.
// 2. An error of a RecvTensor call that a task of TensorFlow made, if the error
//    cannot be the effect of a cancellation. This error counts as an error of
//    the task that was asked for the tensor.
// 3. The reason for which the master ended the step.
// 4. Any other echo.
absl::Status CauseOf(absl::Span<const TaskStatus> statuses);

// Returns true if the error may be the effect of another task's failure. The
// master then waits for the cause before it cancels the other tasks.
bool MayBeEcho(const TaskStatus& status);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_STEP_ERRORS_H_
