// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkQueue runs closures on threads of its own. Closures on the compute pool
// must not block. A closure that needs the result of another one adds a
// continuation to the queue instead of waiting.
//
//   const auto queue = NewThreadPool("compute", 8);
//   queue->Add([] { Work(); });
#ifndef LEAT_CORE_THREADS_WORK_QUEUE_H_
#define LEAT_CORE_THREADS_WORK_QUEUE_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"

namespace leat {

// A WorkQueue is a queue of closures and the threads that run them. It is
// thread-safe. It owns the closures that have not run yet.
class WorkQueue {
 public:
  using Closure = absl::AnyInvocable<void() &&>;

  // Waits until all closures have run.
  virtual ~WorkQueue() = default;

  // Runs `closure` once, now or later, on a thread of the queue. Closures may
  // run at the same time and in any order.
  virtual void Add(Closure closure) = 0;

  virtual int num_threads() const = 0;

  // Returns true if the calling thread is running closures of this queue.
  virtual bool IsWorkerThread() const = 0;
};

// Returns a queue with `num_threads` threads, named "<name>-<i>". Throws
// RefusedThread if the system refuses a thread; see StartThreads
// (thread.h). REQUIRES: num_threads >= 1.
std::unique_ptr<WorkQueue> NewThreadPool(absl::string_view name,
                                         int num_threads);

// Returns a queue that runs closures on the caller's thread, inside of Add. If
// a running closure adds another one, the new closure runs after the running
// one, inside of the outermost Add. So a long chain of closures needs no deep
// stack.
std::unique_ptr<WorkQueue> NewInlineQueue();

}  // namespace leat

#endif  // LEAT_CORE_THREADS_WORK_QUEUE_H_
