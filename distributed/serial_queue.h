// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// SerialQueue: runs tasks on a WorkQueue one after another, in order. Those
// that wait for their turn hold no thread. Thread-safe.
#ifndef LEAT_DISTRIBUTED_SERIAL_QUEUE_H_
#define LEAT_DISTRIBUTED_SERIAL_QUEUE_H_

#include <cstddef>
#include <deque>
#include <memory>

#include "leat/core/mutex.h"
#include "leat/core/work_queue.h"

namespace leat {

class SerialQueue {
 public:
  // `queue` is borrowed; what it has been given may run when this is gone.
  // `max_waiting`: tasks, beside the one that runs.
  SerialQueue(WorkQueue& queue, size_t max_waiting)
      : state_(std::make_shared<State>(queue)), max_waiting_(max_waiting) {}

  // Takes `task` and will run it, each in a turn of its own of the queue;
  // false, leaving it alone, when too many wait.
  bool Add(WorkQueue::Task&& task);

 private:
  struct State {
    explicit State(WorkQueue& work) : queue(work) {}

    WorkQueue& queue;
    Mutex mutex;
    bool is_running ABSL_GUARDED_BY(mutex) = false;
    std::deque<WorkQueue::Task> waiting ABSL_GUARDED_BY(mutex);
  };

  static void Start(std::shared_ptr<State> state, WorkQueue::Task task);

  const std::shared_ptr<State> state_;
  const size_t max_waiting_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_SERIAL_QUEUE_H_
