// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldQueue is a WorkQueue that runs each task only when the test calls RunOne,
// so that a test decides the order of events.
#ifndef LEAT_TESTS_TESTING_HELD_QUEUE_H_
#define LEAT_TESTS_TESTING_HELD_QUEUE_H_

#include <cstddef>
#include <deque>
#include <utility>

#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"

namespace leat::testing {

// Thread-safe. Owns the tasks that have not run; the destructor runs them on
// its own thread.
class HeldQueue final : public WorkQueue {
 public:
  // Runs the tasks that are left.
  ~HeldQueue() override {
    while (size() > 0) RunOne();
  }

  // Keeps the task until RunOne, or until the destructor.
  void Add(Task task) override {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  int num_threads() const override { return 1; }
  bool IsWorkerThread() const override { return false; }

  // Returns the number of tasks that have not begun.
  size_t size() const {
    MutexLock lock(mutex_);
    return tasks_.size();
  }
  // Runs the oldest task on the calling thread. REQUIRES: size() > 0.
  void RunOne() {
    Task task;
    {
      MutexLock lock(mutex_);
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    std::move(task)();
  }

 private:
  mutable Mutex mutex_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_HELD_QUEUE_H_
