// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/leaks.h"

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "leat/core/threads/clock.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::testing {
namespace {

constexpr std::chrono::seconds kLongest(30);

}  // namespace

bool BecomesEmpty(absl::FunctionRef<bool()> is_empty) {
  if (SimulatedClock* const clock = SimulatedClock::Current()) {
    return clock->AdvanceUntil(is_empty, kLongest);
  }
  // In real time, this loop does not sleep, so that it ends as soon as
  // possible.
  const Clock::time_point limit = RealClock().After(kLongest);
  while (!is_empty()) {
    if (RealClock().Now() >= limit) return is_empty();
    std::this_thread::yield();
  }
  return true;
}

std::string LeaksOf(const Server& server) {
  ServerCounters c;
  const bool is_empty = BecomesEmpty([&] {
    c = server.counters();
    return c == ServerCounters();
  });
  if (is_empty) return "";
  return absl::StrCat(server.task().ToString(), ": ", c.master_sessions,
                      " sessions of clients, ", c.sessions, " of masters, ",
                      c.graphs, " graphs, ", c.running, " calls of RunGraph, ",
                      c.steps, " steps, ", c.rendezvous, " rendezvous; ");
}

}  // namespace leat::testing
