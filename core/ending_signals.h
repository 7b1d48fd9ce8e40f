// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions let one thread of a program wait for SIGTERM or SIGINT and
// then end the program in an orderly way.
//
//   int main() {
//     BlockEndingSignals();  // before any thread starts
//     const auto server = StartServer();
//     return StopAtEndingSignal([&](int) { server->Stop(); });
//   }
#ifndef LEAT_CORE_ENDING_SIGNALS_H_
#define LEAT_CORE_ENDING_SIGNALS_H_

#include "absl/functional/function_ref.h"

namespace leat {

// Blocks SIGTERM and SIGINT in this thread and in the threads that it starts
// later. Call it before the program starts any thread.
void BlockEndingSignals();

// Waits for SIGTERM or SIGINT and calls `stop` with the number of the signal.
// Returns the exit code of a program that the signal ended: 143 for SIGTERM,
// 130 for SIGINT. If a second signal comes while `stop` runs, the process ends
// at once, with the exit code of the second signal. Call this on one thread
// only. REQUIRES: BlockEndingSignals was called.
int StopAtEndingSignal(absl::FunctionRef<void(int signal)> stop);

}  // namespace leat

#endif  // LEAT_CORE_ENDING_SIGNALS_H_
