// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RunAgain runs a step until no task is lost meanwhile.
#ifndef LEAT_EXAMPLES_SHARED_RUN_AGAIN_H_
#define LEAT_EXAMPLES_SHARED_RUN_AGAIN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/runtime/session.h"
#include "leat/train/recoverable_session.h"

namespace leat::examples {

// Runs a step. If the step fails because a task was lost, the session logs
// that, and the step runs again in another session. Returns the error if the
// session cannot make another one.
absl::StatusOr<std::vector<Tensor>> RunAgain(RecoverableSession& session,
                                             const RunArgs& args);

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_RUN_AGAIN_H_
