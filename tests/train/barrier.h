// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Barrier lets threads wait for each other, as std::barrier does. It also works
// in simulated time.
#ifndef LEAT_TESTS_TRAIN_BARRIER_H_
#define LEAT_TESTS_TRAIN_BARRIER_H_

#include "leat/core/threads/mutex.h"

namespace leat::testing {

// A Barrier is thread-safe.
class Barrier {
 public:
  explicit Barrier(int num_threads) : num_threads_(num_threads) {}

  // Waits until every other thread has called this function as often as the
  // calling thread.
  void ArriveAndWait() {
    MutexLock lock(mutex_);
    const int round = round_;
    ++num_arrived_;
    EndRoundIfAllHaveArrived();
    while (round_ == round) next_round_.Wait(mutex_);
  }
  // Removes the calling thread, so that the other threads no longer wait for
  // it.
  void ArriveAndDrop() {
    MutexLock lock(mutex_);
    --num_threads_;
    EndRoundIfAllHaveArrived();
  }

 private:
  void EndRoundIfAllHaveArrived() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (num_arrived_ < num_threads_) return;
    num_arrived_ = 0;
    ++round_;
    next_round_.NotifyAll();
  }

  Mutex mutex_;
  CondVar next_round_;
  int num_threads_ ABSL_GUARDED_BY(mutex_);
  int num_arrived_ ABSL_GUARDED_BY(mutex_) = 0;
  int round_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TRAIN_BARRIER_H_
