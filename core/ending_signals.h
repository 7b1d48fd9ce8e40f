// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SIGTERM and SIGINT, waited for by the one thread of a program that ends it.
// Thread-safe.
#ifndef LEAT_CORE_ENDING_SIGNALS_H_
#define LEAT_CORE_ENDING_SIGNALS_H_

#include "absl/functional/function_ref.h"

namespace leat {

// In this thread and in those it begins later: call it before any is begun.
void BlockEndingSignals();

// Waits for one of the two, calls `stop` with it, and gives what a program that
// it ended exits with: 143 or 130. A second one meanwhile ends the process at
// once. REQUIRES: BlockEndingSignals was called.
int StopAtEndingSignal(absl::FunctionRef<void(int signal)> stop);

}  // namespace leat

#endif  // LEAT_CORE_ENDING_SIGNALS_H_
