// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/task.h"

#include <utility>

#include "leat/kernels/callbacks.h"

namespace leat::kernels {
namespace {

constexpr int kRunning = 1;
constexpr int kWoken = 2;

// Says how many tasks run on this thread, one inside the other. A task may call
// a function that reads another iterator, and so on.
thread_local int num_nested = 0;
constexpr int kMaxNested = 8;

// More stages than stand upon one another can each do several rounds, so that
// every call of Advance does something.
constexpr int kMaxRoundsOfAdvance = 10'000;
// Says how many rounds the task that runs on this thread has left.
thread_local int rounds_left = kMaxRoundsOfAdvance;

}  // namespace

bool Task::MarkWoken() {
  const int before =
      state_.fetch_or(kRunning | kWoken, std::memory_order_acq_rel);
  return (before & kRunning) == 0;
}

void Task::Wake() {
  if (MarkWoken()) Schedule();
}

void Task::WakeHere() {
  if (!MarkWoken()) return;
  if (num_nested < kMaxNested && queue_.IsWorkerThread()) return Run();
  Schedule();
}

bool Task::UseRound() { return --rounds_left >= 0; }

void Task::Schedule() {
  queue_.Add([self = shared_from_this()] { self->Run(); });
}

void Task::Run() {
  // A task that is woken again and again must not keep the others from running.
  constexpr int kMaxRounds = 64;
  const std::shared_ptr<Task> self = shared_from_this();
  Callbacks callbacks;
  ++num_nested;
  for (int round = 0;; ++round) {
    state_.fetch_and(~kWoken, std::memory_order_acq_rel);
    const int outer = std::exchange(rounds_left, kMaxRoundsOfAdvance);
    Advance(callbacks);
    rounds_left = outer;
    int expected = kRunning;
    if (state_.compare_exchange_strong(expected, 0,
                                       std::memory_order_acq_rel)) {
      break;
    }
    // Callbacks may take long, so another thread goes on with the task.
    if (!callbacks.empty() || round == kMaxRounds) {
      Schedule();
      break;
    }
  }
  CallAll(std::move(callbacks));
  --num_nested;
}

}  // namespace leat::kernels
