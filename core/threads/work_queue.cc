// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/work_queue.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/threads/flush_denormals.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/spin.h"
#include "leat/core/threads/thread.h"

namespace leat {
namespace {

// Holds the closures of one worker thread, in the order in which they were
// added. Other workers may take closures from it too. Is thread-safe. It is
// aligned so that the lists of two workers do not share a cache line.
class alignas(64) ClosureList {
 public:
  void Push(WorkQueue::Closure closure) {
    MutexLock lock(mutex_);
    closures_.push_back(std::move(closure));
    size_.store(closures_.size(), std::memory_order_relaxed);
  }

  // Takes the oldest closure. Returns false if there is none.
  bool Pop(WorkQueue::Closure& closure) {
    if (size_.load(std::memory_order_relaxed) == 0) return false;
    MutexLock lock(mutex_);
    if (closures_.empty()) return false;
    closure = std::move(closures_.front());
    closures_.pop_front();
    size_.store(closures_.size(), std::memory_order_relaxed);
    return true;
  }

 private:
  Mutex mutex_;
  std::deque<WorkQueue::Closure> closures_ ABSL_GUARDED_BY(mutex_);
  std::atomic<size_t> size_{0};
};

// A ThreadPool is a pool of threads with a list of closures per thread.
//
// A closure never waits while all workers sleep. Add counts a closure in
// pending_ before it reads sleepers_. A worker counts itself in sleepers_
// before it reads pending_ for the last time. All of these operations are
// sequentially consistent, so Add sees the sleeper or the worker sees the
// closure. The same holds for spinning_, because a worker leaves spinning_
// before it reads pending_ again.
class ThreadPool final : public WorkQueue {
 public:
  ThreadPool(absl::string_view name, int num_threads) : lists_(num_threads) {
    threads_.reserve(num_threads);
    try {
      for (int i = 0; i < num_threads; ++i) StartWorker(name, i);
    } catch (const RefusedThread&) {
      JoinWorkers();  // The destructor of this object will not run.
      throw;
    }
  }

  ~ThreadPool() override {
    JoinWorkers();
    while (adding_.load() > 0) std::this_thread::yield();
  }

  void Add(Closure closure) override {
    adding_.fetch_add(1);
    pending_.fetch_add(1);
    lists_[ListForCaller()].Push(std::move(closure));
    // Every spinning worker takes one closure. If there are more closures,
    // wakes a sleeping worker.
    if (pending_.load() > spinning_.load() && sleepers_.load() > 0) {
      { MutexLock lock(sleep_mutex_); }
      wake_.NotifyOne();
    }
    adding_.fetch_sub(1);
  }

  int num_threads() const override { return static_cast<int>(lists_.size()); }

  bool IsWorkerThread() const override { return current_.pool == this; }

 private:
  struct Identity {
    const ThreadPool* pool = nullptr;
    int index = 0;
  };

  void StartWorker(absl::string_view name, int index) {
    threads_.emplace_back(absl::StrCat(name, "-", index), [this, index] {
      const FlushDenormals flush;
      RunWorker(index);
    });
  }

  // Waits until the workers have run all closures that are left and have ended.
  void JoinWorkers() {
    {
      MutexLock lock(sleep_mutex_);
      stopping_ = true;
    }
    wake_.NotifyAll();
    for (Thread& thread : threads_) thread.Join();
  }

  size_t ListForCaller() {
    if (current_.pool == this) return current_.index;
    return next_list_.fetch_add(1, std::memory_order_relaxed) % lists_.size();
  }

  void RunWorker(int index) {
    current_ = {this, index};
    for (;;) {
      Closure closure;
      if (Take(index, closure)) {
        std::move(closure)();
      } else if (!WaitForClosure()) {
        return;
      }
    }
  }

  // Takes the oldest closure of this worker. If this worker has no closure,
  // takes the oldest closure of the next worker that has one. Returns false if
  // no worker has a closure.
  bool Take(size_t index, Closure& closure) {
    for (size_t i = 0; i < lists_.size(); ++i) {
      if (lists_[(index + i) % lists_.size()].Pop(closure)) {
        pending_.fetch_sub(1);
        return true;
      }
    }
    return false;
  }

  // Spins, then sleeps, until there is a closure. Returns false if the pool is
  // stopping and no closure is left.
  bool WaitForClosure() {
    spinning_.fetch_add(1);
    SpinUntil([this] { return pending_.load() > 0; });
    spinning_.fetch_sub(1);
    if (pending_.load() > 0) return true;

    MutexLock lock(sleep_mutex_);
    sleepers_.fetch_add(1);
    while (pending_.load() == 0 && !stopping_) wake_.Wait(sleep_mutex_);
    sleepers_.fetch_sub(1);
    return pending_.load() > 0;
  }

  static thread_local Identity current_;

  std::vector<ClosureList> lists_;
  std::atomic<size_t> next_list_{0};
  alignas(64) std::atomic<int64_t> pending_{0};  // added, not yet taken
  // Is the number of calls of Add that have not returned yet. The destructor
  // waits for these calls, because a closure may run, and cause the pool to be
  // destroyed, before its Add returns.
  std::atomic<int64_t> adding_{0};
  std::atomic<int64_t> spinning_{0};
  std::atomic<int64_t> sleepers_{0};
  Mutex sleep_mutex_;
  CondVar wake_;
  bool stopping_ ABSL_GUARDED_BY(sleep_mutex_) = false;
  std::vector<Thread> threads_;
};

thread_local ThreadPool::Identity ThreadPool::current_;

class InlineQueue final : public WorkQueue {
 public:
  void Add(Closure closure) override {
    if (Run* run = FindRun(); run != nullptr) {
      run->waiting.push_back(std::move(closure));
      return;
    }
    Run run = {this, innermost_, {}};
    innermost_ = &run;
    for (;;) {
      std::exchange(closure, nullptr)();
      if (run.waiting.empty()) break;
      closure = std::move(run.waiting.front());
      run.waiting.pop_front();
    }
    innermost_ = run.outer;
  }

  int num_threads() const override { return 1; }

  bool IsWorkerThread() const override { return FindRun() != nullptr; }

 private:
  // Describes the outermost call of Add of one queue on this thread. While it
  // runs, a closure may call Add of another queue, so the Runs of several
  // queues may be nested.
  struct Run {
    const InlineQueue* queue;
    Run* outer;
    std::deque<Closure> waiting;
  };

  Run* FindRun() const {
    Run* run = innermost_;
    while (run != nullptr && run->queue != this) run = run->outer;
    return run;
  }

  static thread_local Run* innermost_;
};

thread_local InlineQueue::Run* InlineQueue::innermost_ = nullptr;

}  // namespace

std::unique_ptr<WorkQueue> NewThreadPool(absl::string_view name,
                                         int num_threads) {
  LEAT_CHECK(num_threads >= 1);
  return std::make_unique<ThreadPool>(name, num_threads);
}

std::unique_ptr<WorkQueue> NewInlineQueue() {
  return std::make_unique<InlineQueue>();
}

}  // namespace leat
