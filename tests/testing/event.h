// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Event is a flag that one thread sets once and that other threads wait for.
//
//   Event called;
//   queue.Add([&called] { called.Set(); });
//   ASSERT_TRUE(called.Wait());
#ifndef LEAT_TESTS_TESTING_EVENT_H_
#define LEAT_TESTS_TESTING_EVENT_H_

#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/tests/testing/wait_limit.h"

namespace leat::testing {

// Is thread-safe. An event that is set stays set.
class Event {
 public:
  // Wakes all threads that wait. May be called more than once.
  void Set() {
    MutexLock lock(mutex_);
    is_set_ = true;
    changed_.NotifyAll();
  }
  // Returns whether Set was called.
  bool IsSet() {
    MutexLock lock(mutex_);
    return is_set_;
  }
  // Waits until the event is set. Returns false if the event is not set by the
  // WaitLimit.
  bool Wait() {
    const Clock::time_point limit = WaitLimit();
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
