// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldQueue is a WorkQueue that runs each closure only when the test calls
// RunOne, so that a test decides the order of events.
#ifndef LEAT_TESTS_TESTING_HELD_QUEUE_H_
#define LEAT_TESTS_TESTING_HELD_QUEUE_H_

#include <cstddef>
#include <deque>
#include <utility>

#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"

namespace leat::testing {

// Is thread-safe. Owns the closures that have not run. The destructor runs them
// on the thread that calls it.
class HeldQueue final : public WorkQueue {
 public:
  // Runs the closures that are left.
  ~HeldQueue() override {
    while (size() > 0) RunOne();
  }

  // Keeps the closure until RunOne, or until the destructor.
  void Add(Closure closure) override {
    MutexLock lock(mutex_);
    closures_.push_back(std::move(closure));
  }
  int num_threads() const override { return 1; }
  bool IsWorkerThread() const override { return false; }

  // Returns the number of closures that have not begun.
  size_t size() const {
    MutexLock lock(mutex_);
    return closures_.size();
  }
  // Runs the oldest closure on the calling thread. REQUIRES: size() > 0.
  void RunOne() {
    Closure closure;
    {
      MutexLock lock(mutex_);
      closure = std::move(closures_.front());
      closures_.pop_front();
    }
    std::move(closure)();
  }

 private:
  mutable Mutex mutex_;
  std::deque<Closure> closures_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_HELD_QUEUE_H_
