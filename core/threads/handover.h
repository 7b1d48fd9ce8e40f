// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Handover passes a value from one thread to another one that waits for it. Use
// it instead of a std::future: only Wait works in a test that simulates time
// (simulation.h).
//
//   const auto plan = std::make_shared<Handover<Plan>>();
//   planner.Start([plan](Plan made) { plan->Set(std::move(made)); });
//   return plan->Wait();
#ifndef LEAT_CORE_THREADS_HANDOVER_H_
#define LEAT_CORE_THREADS_HANDOVER_H_

#include <optional>
#include <utility>

#include "leat/core/threads/mutex.h"

namespace leat {

// Is thread-safe.
template <class T>
class Handover {
 public:
  // Sets the value. Must be called only once.
  void Set(T value) {
    // Notifies under the lock, because the waiting thread may destroy this
    // object as soon as it wakes.
    MutexLock lock(mutex_);
    value_.emplace(std::move(value));
    is_set_.NotifyAll();
  }
  // Returns true if Wait would return at once.
  bool IsSet() {
    MutexLock lock(mutex_);
    return value_.has_value();
  }
  // Waits for the value and returns it. Must be called only once.
  T Wait() {
    MutexLock lock(mutex_);
    while (!value_.has_value()) is_set_.Wait(mutex_);
    return *std::move(value_);
  }

 private:
  Mutex mutex_;
  CondVar is_set_;
  std::optional<T> value_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_HANDOVER_H_
