// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Event: something that happens once, and that other threads wait for.
// Thread-safe.
#ifndef LEAT_TESTS_TESTING_EVENT_H_
#define LEAT_TESTS_TESTING_EVENT_H_

#include <chrono>

#include "leat/core/mutex.h"

namespace leat::testing {

class Event {
 public:
  void Set() {
    MutexLock lock(mutex_);
    is_set_ = true;
    changed_.NotifyAll();
  }
  bool IsSet() {
    MutexLock lock(mutex_);
    return is_set_;
  }
  // False when it has not happened for a minute.
  bool Wait() {
    const auto limit =
        std::chrono::steady_clock::now() + std::chrono::minutes(1);
    MutexLock lock(mutex_);
    while (!is_set_) {
      if (!changed_.WaitUntil(mutex_, limit)) return is_set_;
    }
    return true;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool is_set_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_EVENT_H_
