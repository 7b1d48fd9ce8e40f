// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BusyThreads keeps the threads of a queue busy, so that closures that a test
// adds to the queue have to wait.
//
//   BusyThreads busy(queue);
//   queue.Add([] { Work(); });  // does not run yet
//   busy.End();
#ifndef LEAT_TESTS_TESTING_BUSY_THREADS_H_
#define LEAT_TESTS_TESTING_BUSY_THREADS_H_

#include <atomic>
#include <memory>

#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"
#include "leat/tests/testing/event.h"

namespace leat::testing {

// Keeps all threads of a queue busy until End. Is thread-safe.
class BusyThreads {
 public:
  explicit BusyThreads(WorkQueue& queue) {
    for (int i = 0; i < queue.num_threads(); ++i) {
      queue.Add([state = state_, num_threads = queue.num_threads()] {
        if (++state->num_busy == num_threads) state->all_busy.Set();
        MutexLock lock(state->mutex);
        while (!state->is_over) state->over.Wait(state->mutex);
      });
    }
    // Waits until all threads are busy. Otherwise a thread that is not busy yet
    // could take a closure that the test adds later.
    EXPECT_TRUE(state_->all_busy.Wait());
  }
  ~BusyThreads() { End(); }

  // Ends the work that keeps the threads busy. May be called more than once.
  void End() {
    MutexLock lock(state_->mutex);
    state_->is_over = true;
    state_->over.NotifyAll();
  }

 private:
  // Is shared with the threads, which may outlive this object.
  struct State {
    std::atomic<int> num_busy{0};
    Event all_busy;
    Mutex mutex;
    CondVar over;
    bool is_over ABSL_GUARDED_BY(mutex) = false;
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_BUSY_THREADS_H_
