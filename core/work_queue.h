// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkQueue: runs tasks. The compute pool never blocks: a task that would wait
// for another gives the queue a continuation instead. Thread-safe.
#ifndef LEAT_CORE_WORK_QUEUE_H_
#define LEAT_CORE_WORK_QUEUE_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"

namespace leat {

class WorkQueue {
 public:
  using Task = absl::AnyInvocable<void() &&>;

  // Waits until all tasks have run.
  virtual ~WorkQueue() = default;

  // Runs `task` once, now or later, on a thread of the queue.
  virtual void Add(Task task) = 0;

  virtual int num_threads() const = 0;

  // The calling thread is one of the queue's.
  virtual bool IsWorkerThread() const = 0;
};

// `num_threads` >= 1 threads named "<name>-<i>".
std::unique_ptr<WorkQueue> NewThreadPool(absl::string_view name,
                                         int num_threads);

// Runs tasks on the caller's thread, inside Add. A task that a task adds runs
// after it, inside the outermost Add, so that long chains need no deep stack.
std::unique_ptr<WorkQueue> NewInlineQueue();

}  // namespace leat

#endif  // LEAT_CORE_WORK_QUEUE_H_
