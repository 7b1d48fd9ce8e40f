// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Mutex, CondVar and SharedMutex are the classes of the standard library with
// the annotations that clang's -Wthread-safety checks. absl::Mutex has the
// annotations, too, but the thread sanitizer cannot see into the library of
// absl::Mutex.
//
//   Mutex mutex;
//   int count ABSL_GUARDED_BY(mutex) = 0;
//
//   void Increment() {
//     MutexLock lock(mutex);  // until the end of the scope
//     ++count;
//   }
#ifndef LEAT_CORE_THREADS_MUTEX_H_
#define LEAT_CORE_THREADS_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "absl/base/thread_annotations.h"
#include "leat/core/threads/simulation.h"

namespace leat {

// A Mutex is a lock that one thread holds at a time. It is not recursive.
// Prefer MutexLock to calling Lock and Unlock.
class ABSL_LOCKABLE Mutex {
 public:
  // Waits until no other thread has the lock, and then takes it.
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  // Releases the lock. REQUIRES: this thread has the lock.
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a Mutex while this object exists. The mutex is borrowed and must
// outlive the lock.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Lets threads wait until another thread has changed what a Mutex guards. Is
// thread-safe. All threads that wait at the same time must pass the same mutex.
// While a test simulates time, the simulation decides how long threads wait
// (simulation.h).
//
//   MutexLock lock(mutex);
//   while (queue.empty()) not_empty.Wait(mutex);
class CondVar {
 public:
  // Unlocks `mutex`, waits until notified, and locks `mutex` again. May also
  // return without a notification, so callers must test their condition in a
  // loop. REQUIRES: the caller holds `mutex`.
  void Wait(Mutex& mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    if (Simulation* simulation = Simulation::Active(); simulation != nullptr) {
      simulation->Wait(*this, mutex, Simulation::time_point::max());
      return;
    }
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Waits like Wait, but no longer than until `deadline`. Returns false if the
  // deadline has passed, and otherwise true. Code that takes a Clock calls the
  // clock's WaitUntil instead.
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    if (Simulation* simulation = Simulation::Active(); simulation != nullptr) {
      return simulation->Wait(*this, mutex, deadline);
    }
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const auto status = condition_.wait_until(lock, deadline);
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  // Wakes one waiting thread, if there is any. The caller need not hold the
  // mutex.
  void NotifyOne() {
    if (Simulation* simulation = Simulation::Active(); simulation != nullptr) {
      simulation->NotifyOne(*this);
    }
    condition_.notify_one();
  }
  // Wakes all waiting threads.
  void NotifyAll() {
    if (Simulation* simulation = Simulation::Active(); simulation != nullptr) {
      simulation->NotifyAll(*this);
    }
    condition_.notify_all();
  }

 private:
  std::condition_variable condition_;
};

// A SharedMutex is a lock that many readers or one writer hold at a time. It is
// not recursive, not even for readers. Prefer WriterLock and ReaderLock to
// calling the methods.
class ABSL_LOCKABLE SharedMutex {
 public:
  // Waits until no other thread has the lock, and then takes it for writing.
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  // Waits until no thread has the lock for writing, and then takes it for
  // reading.
  void ReaderLock() ABSL_SHARED_LOCK_FUNCTION() { mutex_.lock_shared(); }
  // Locks for reading without waiting. Returns false if that is not possible,
  // for example because a writer has the lock.
  bool ReaderTryLock() ABSL_SHARED_TRYLOCK_FUNCTION(true) {
    return mutex_.try_lock_shared();
  }
  void ReaderUnlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

// Holds a SharedMutex for writing while this object exists. The mutex is
// borrowed and must outlive the lock.
class ABSL_SCOPED_LOCKABLE WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_.Lock();
  }
  ~WriterLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// Holds a SharedMutex for reading while this object exists. The mutex is
// borrowed and must outlive the lock.
class ABSL_SCOPED_LOCKABLE ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) ABSL_SHARED_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_.ReaderLock();
  }
  ~ReaderLock() ABSL_UNLOCK_FUNCTION() { mutex_.ReaderUnlock(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_MUTEX_H_
