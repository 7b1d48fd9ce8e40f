// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/ending_signals.h"

#include <unistd.h>

#include <csignal>

namespace leat {
namespace {

// Shells report 128 plus the signal's number for a program that a signal ended.
constexpr int kSignalExit = 128;

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
  // A second signal means that its sender does not want to wait for `stop`.
  std::signal(SIGTERM, ExitBySignal);
  std::signal(SIGINT, ExitBySignal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  stop(signal);
  return kSignalExit + signal;
}

}  // namespace leat
