// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Task is work that is done piece by piece on the compute pool, whenever there
// is something to do. Between two pieces it holds no thread. An iterator is a
// task that gives out elements while callers wait for them. A prefetching stage
// is a task that fills its buffer.
#ifndef LEAT_KERNELS_PIPELINE_TASK_H_
#define LEAT_KERNELS_PIPELINE_TASK_H_

#include <atomic>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "leat/core/threads/work_queue.h"

namespace leat::kernels {

// Is thread-safe. A shared_ptr owns the task, and each piece that is running or
// is in the queue shares the ownership.
class Task : public std::enable_shared_from_this<Task> {
 public:
  // `queue` is borrowed and must outlive the task.
  explicit Task(WorkQueue& queue) : queue_(queue) {}
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Says that there may be something to do. Advance runs soon on the queue. It
  // sees what the caller has written before.
  void Wake();

  // Does the same as Wake. If the calling thread is a thread of the queue and
  // no other thread runs the task, Advance runs before WakeHere returns.
  void WakeHere();

  // Counts a round of a loop in the work that this thread does for a task.
  // Returns false if the work must give way: at most 10,000 rounds are allowed
  // in one call of Advance.
  static bool UseRound();

 protected:
  using Callbacks = std::vector<absl::AnyInvocable<void() &&>>;

  // Does everything that can be done without waiting. One thread calls it at a
  // time. `callbacks` are called after that, when the task may run again.
  virtual void Advance(Callbacks& callbacks) = 0;

 private:
  // Marks the task as woken. Returns true if the caller must make it run.
  bool MarkWoken();
  void Schedule();
  void Run();

  WorkQueue& queue_;
  // Is a set of bits: kRunning while a thread runs the task or it is in the
  // queue, kWoken if there is something to do that Advance may not have seen.
  std::atomic<int> state_{0};
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_TASK_H_
