// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TimeSimulation replaces the time of a process in a test. Clock, CondVar and
// Thread ask it whenever they would ask the operating system. A program that is
// not a test has none and runs in real time.
//
//   if (TimeSimulation* simulation = TimeSimulation::Get()) {
//     return simulation->Now();
//   }
#ifndef LEAT_CORE_THREADS_TIME_SIMULATION_H_
#define LEAT_CORE_THREADS_TIME_SIMULATION_H_

#include <atomic>
#include <chrono>
#include <mutex>

namespace leat {

// The threads of a simulation are the one that installs it and every Thread
// that one of them starts. It must know of all, because its time stands still
// as long as one of them runs. Thread-safe.
class TimeSimulation {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Returns the simulation of this process, or null in real time. Ends the
  // process if there is a simulation and this thread does not belong to it.
  static TimeSimulation* Get() {
    TimeSimulation* const installed =
        installed_.load(std::memory_order_acquire);
    if (installed != nullptr) [[unlikely]] {
      CheckThread();
    }
    return installed;
  }

  // Returns the simulated time.
  virtual TimePoint Now() = 0;

  // Unlocks `mutex`, waits until `condition` is notified or until `deadline`,
  // and locks `mutex` again. Returns false if it was the deadline.
  // TimePoint::max() stands for no deadline.
  virtual bool Wait(const void* condition, std::mutex& mutex,
                    TimePoint deadline) = 0;

  // Wakes one thread, or all threads, that wait for `condition`. They count as
  // running when this returns.
  virtual void Notify(const void* condition, bool all) = 0;

  // Says that a thread is about to start. It counts as running from now on.
  virtual void AddThread() = 0;
  // Makes the calling thread, for which AddThread was called, belong to this
  // simulation.
  void BeginThread();
  // Says that the calling thread ends. It must not wait any more.
  void EndThread();

 protected:
  ~TimeSimulation() = default;

  // Makes this the simulation of the process, to which the calling thread then
  // belongs. REQUIRES: the process has none.
  void Install();
  // Brings real time back. REQUIRES: only the calling thread belongs to this.
  void Uninstall();

  // Says that a thread no longer counts.
  virtual void RemoveThread() = 0;

 private:
  static void CheckThread();

  // Only tests change it.
  static inline constinit std::atomic<TimeSimulation*> installed_ = nullptr;
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_TIME_SIMULATION_H_
