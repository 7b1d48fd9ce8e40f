// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldQueue: a WorkQueue that runs what it was given when the test says so.
#ifndef LEAT_TESTS_TESTING_HELD_QUEUE_H_
#define LEAT_TESTS_TESTING_HELD_QUEUE_H_

#include <cstddef>
#include <deque>
#include <utility>

#include "leat/core/mutex.h"
#include "leat/core/work_queue.h"

namespace leat::testing {

// Thread-safe.
class HeldQueue final : public WorkQueue {
 public:
  ~HeldQueue() override {
    while (size() > 0) RunOne();
  }

  void Add(Task task) override {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  int num_threads() const override { return 1; }
  bool IsWorkerThread() const override { return false; }

  size_t size() const {
    MutexLock lock(mutex_);
    return tasks_.size();
  }
  // On this thread. REQUIRES: there is one.
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
