// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/ending_signals.h"

#include <unistd.h>

#include <csignal>

namespace leat {
namespace {

constexpr int kSignalExit = 128;  // as shells have it

sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

[[noreturn]] void ExitBySignal(int signal) { _exit(kSignalExit + signal); }

}  // namespace

void BlockEndingSignals() {
  const sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

int StopAtEndingSignal(absl::FunctionRef<void(int signal)> stop) {
  const sigset_t signals = EndingSignals();
  int signal = 0;
  sigwait(&signals, &signal);
  // Whoever sends a second one does not want to wait.
  std::signal(SIGTERM, ExitBySignal);
  std::signal(SIGINT, ExitBySignal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  stop(signal);
  return kSignalExit + signal;
}

}  // namespace leat
