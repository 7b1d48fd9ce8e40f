// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// While a test simulates time (leat/tests/testing/simulated_clock.h), CondVar
// and Thread report every wait, every wake-up and every thread to a Simulation.
// So the Simulation knows when all threads are waiting, and then advances the
// time. Outside of tests there is no simulation, and the check for one costs
// one load of a pointer.
#ifndef LEAT_CORE_THREADS_SIMULATION_H_
#define LEAT_CORE_THREADS_SIMULATION_H_

#include <atomic>
#include <chrono>

#include "absl/base/thread_annotations.h"

namespace leat {

class CondVar;
class Mutex;

// Is the interface of a simulation. Implementations are thread-safe. At most
// one simulation is active in the process. This class does not own the active
// simulation.
class Simulation {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  // Returns the active simulation, or null if there is none. Outside of tests
  // there is none.
  static Simulation* Active() {
    return active_.load(std::memory_order_acquire);
  }

  // Does what CondVar::WaitUntil does, but in simulated time. A wait until
  // time_point::max() has no deadline.
  virtual bool Wait(const CondVar& condition, Mutex& mutex, time_point deadline)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) = 0;
  // Wakes the thread that has waited longest for `condition`.
  virtual void NotifyOne(const CondVar& condition) = 0;
  // Wakes all threads that wait for `condition`.
  virtual void NotifyAll(const CondVar& condition) = 0;

  // Counts a new thread as running. The thread that is about to start the new
  // one calls this.
  virtual void AddThread() = 0;
  // Undoes AddThread. The thread that called AddThread calls this if the new
  // thread could not start.
  virtual void RemoveThread() = 0;
  // Tells that the calling thread is the new thread that AddThread has counted.
  // A new thread calls this before anything else.
  virtual void BeginThread() = 0;
  // Stops counting the calling thread. A thread calls this just before it ends.
  virtual void EndThread() = 0;

 protected:
  ~Simulation() = default;

  static inline std::atomic<Simulation*> active_ = nullptr;
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_SIMULATION_H_
