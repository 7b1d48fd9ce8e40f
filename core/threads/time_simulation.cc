// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/time_simulation.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>

#include "leat/core/check.h"

namespace leat {
namespace {

// True if this thread belongs to the simulation of the process.
constinit thread_local bool belongs = false;

}  // namespace

void TimeSimulation::CheckThread() {
  if (belongs) return;
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  std::fprintf(
      stderr,
      "A thread named '%s' took part in a test with simulated time, "
      "but does not belong to the simulation, which cannot know when "
      "it waits. Start it as a leat::Thread (leat/core/threads/thread.h).\n",
      name);
  std::abort();
}

void TimeSimulation::BeginThread() { belongs = true; }

void TimeSimulation::EndThread() {
  belongs = false;
  RemoveThread();
}

void TimeSimulation::Install() {
  TimeSimulation* none = nullptr;
  LEAT_CHECK(installed_.compare_exchange_strong(none, this));
  belongs = true;
}

void TimeSimulation::Uninstall() {
  LEAT_CHECK(Get() == this);
  belongs = false;
  installed_.store(nullptr);
}

}  // namespace leat
