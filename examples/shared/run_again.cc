// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/examples/shared/run_again.h"

#include <cstdint>

namespace leat::examples {

absl::StatusOr<std::vector<Tensor>> RunAgain(RecoverableSession& session,
                                             const RunArgs& args) {
  bool lost = false;
  while (true) {
    const int64_t sessions = session.num_sessions();
    absl::StatusOr<std::vector<Tensor>> out = session.Run(args);
    if (out.ok() || !IsRecoverable(out.status())) return out;
    // RecoverableSession could not make another session.
    if (lost && session.num_sessions() == sessions) return out;
    lost = true;
  }
}

}  // namespace leat::examples
