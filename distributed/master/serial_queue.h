// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SerialQueue runs closures on a WorkQueue one after another, in the order in
// which they were added. Closures that wait for their turn hold no thread.
//
//   SerialQueue queue(blocking, /*max_waiting=*/100);
//   queue.Add([&] { Extend(first); });
//   queue.Add([&] { Extend(second); });  // runs after the first one
#ifndef LEAT_DISTRIBUTED_MASTER_SERIAL_QUEUE_H_
#define LEAT_DISTRIBUTED_MASTER_SERIAL_QUEUE_H_

#include <cstddef>
#include <deque>
#include <memory>

#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"

namespace leat {

// Is thread-safe. Closures that were added run even after this is destroyed.
class SerialQueue {
 public:
  // `queue` is borrowed and must outlive the closures, which may run after this
  // is destroyed. `max_waiting` is the maximum number of closures that may wait
  // while another closure runs.
  SerialQueue(WorkQueue& queue, size_t max_waiting)
      : state_(std::make_shared<State>(queue)), max_waiting_(max_waiting) {}

  // Takes `closure` and runs it later. Each closure is a separate item of
  // `queue`. Returns false, and does not move from `closure`, if too many
  // closures wait.
  bool Add(WorkQueue::Closure&& closure);

 private:
  // Holds the state that this queue and its closures use. They share its
  // ownership.
  struct State {
    explicit State(WorkQueue& work) : queue(work) {}

    WorkQueue& queue;
    Mutex mutex;
    bool is_running ABSL_GUARDED_BY(mutex) = false;
    std::deque<WorkQueue::Closure> waiting ABSL_GUARDED_BY(mutex);
  };

  // Adds `closure` to the WorkQueue. When `closure` has run, adds the next
  // waiting closure.
  static void Start(std::shared_ptr<State> state, WorkQueue::Closure closure);

  const std::shared_ptr<State> state_;
  const size_t max_waiting_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_SERIAL_QUEUE_H_
