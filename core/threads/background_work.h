// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BackgroundWork counts work that goes on after the steps that began it, such
// as the reading ahead of an input pipeline. The owner of what the work uses
// waits for its end.
//
//   BackgroundWork work;
//   work.Begin();  // another thread calls work.End()
//   work.Wait();
#ifndef LEAT_CORE_THREADS_BACKGROUND_WORK_H_
#define LEAT_CORE_THREADS_BACKGROUND_WORK_H_

#include <cstdint>

#include "leat/core/threads/mutex.h"

namespace leat {

// Is thread-safe. Must outlive all work that it counts.
class BackgroundWork {
 public:
  // Returns false, and counts nothing, after Close.
  bool Begin() {
    MutexLock lock(mutex_);
    if (is_closed_) return false;
    ++count_;
    return true;
  }
  // Must be called once for each call of Begin that has returned true. The
  // caller must not use this object, or anything that Wait protects,
  // afterwards.
  void End() {
    // Notifies under the lock, because the waiting thread may destroy this
    // object as soon as it wakes.
    MutexLock lock(mutex_);
    if (--count_ == 0) none_.NotifyAll();
  }
  // No more work can begin after this call.
  void Close() {
    MutexLock lock(mutex_);
    is_closed_ = true;
  }
  // Blocks until each Begin has had its End.
  void Wait() {
    MutexLock lock(mutex_);
    while (count_ > 0) none_.Wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar none_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_BACKGROUND_WORK_H_
