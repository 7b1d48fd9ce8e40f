// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/leaks.h"

#include <thread>

#include "absl/strings/str_cat.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/tests/testing/wait_limit.h"

namespace leat::testing {

std::string LeaksOf(const Server& server) {
  const auto is_empty = [&server] {
    return server.counters() == ServerCounters();
  };
  if (SimulatedClock* const clock = SimulatedClock::Current()) {
    clock->AdvanceUntil(is_empty);
  }
  // Without a simulation it takes only as long as threads need to end a step.
  const Clock::time_point limit = WaitLimit();
  while (!is_empty() && RealClock().Now() < limit) std::this_thread::yield();
  if (is_empty()) return "";
  const ServerCounters c = server.counters();
  return absl::StrCat(server.task().ToString(), ": ", c.master_sessions,
                      " sessions of clients, ", c.sessions, " of masters, ",
                      c.graphs, " graphs, ", c.running, " calls of RunGraph, ",
                      c.steps, " steps, ", c.rendezvous, " rendezvous; ");
}

}  // namespace leat::testing
