// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Lets one thread of a program wait for SIGTERM or SIGINT and end the program
// in order.
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

// Waits for one of the two signals, calls `stop` with it, and returns the exit
// code of a program that the signal ended: 143 for SIGTERM, 130 for SIGINT. If
// a second signal comes while `stop` runs, it ends the process at once, with
// the second signal's exit code. REQUIRES: BlockEndingSignals was called. Call
// it on one thread only.
int StopAtEndingSignal(absl::FunctionRef<void(int signal)> stop);

}  // namespace leat

#endif  // LEAT_CORE_ENDING_SIGNALS_H_
