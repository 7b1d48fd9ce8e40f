// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LongMutex is a Mutex that may be held for long, by a thread that waits. A
// thread that waits for a plain Mutex counts as running for a test that
// simulates the time, which would then stand still.
//
//   LongMutexLock lock(extending_);  // until the end of the scope
//   master.Call(extend);             // waits for an answer
#ifndef LEAT_CORE_THREADS_LONG_MUTEX_H_
#define LEAT_CORE_THREADS_LONG_MUTEX_H_

#include "leat/core/threads/mutex.h"

namespace leat {

// A lock that one thread holds at a time. It is not recursive. Prefer
// LongMutexLock to calling Lock and Unlock.
class ABSL_LOCKABLE LongMutex {
 public:
  // Waits until no other thread has the lock and takes it.
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    MutexLock lock(mutex_);
    while (is_locked_) unlocked_.Wait(mutex_);
    is_locked_ = true;
  }
  // Gives up the lock. REQUIRES: this thread has it.
  void Unlock() ABSL_UNLOCK_FUNCTION() {
    // Notifies under the lock, because the next thread may destroy this.
    MutexLock lock(mutex_);
    is_locked_ = false;
    unlocked_.NotifyOne();
  }

 private:
  Mutex mutex_;
  CondVar unlocked_;
  bool is_locked_ ABSL_GUARDED_BY(mutex_) = false;
};

// Holds a LongMutex from its construction to its destruction. The mutex is
// borrowed and must outlive the lock.
class ABSL_SCOPED_LOCKABLE LongMutexLock {
 public:
  explicit LongMutexLock(LongMutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_.Lock();
  }
  ~LongMutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  LongMutexLock(const LongMutexLock&) = delete;
  LongMutexLock& operator=(const LongMutexLock&) = delete;

 private:
  LongMutex& mutex_;
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_LONG_MUTEX_H_
