// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/serial_queue.h"

#include <utility>

namespace leat {

bool SerialQueue::Add(WorkQueue::Task&& task) {
  {
    MutexLock lock(state_->mutex);
    if (state_->is_running) {
      if (state_->waiting.size() >= max_waiting_) return false;
      state_->waiting.push_back(std::move(task));
      return true;
    }
    state_->is_running = true;
  }
  Start(state_, std::move(task));
  return true;
}

void SerialQueue::Start(std::shared_ptr<State> state, WorkQueue::Task task) {
  WorkQueue& queue = state->queue;
  queue.Add([state = std::move(state), task = std::move(task)]() mutable {
    std::move(task)();
    task = nullptr;  // Frees what the task holds before the next one runs.
    {
      MutexLock lock(state->mutex);
      if (state->waiting.empty()) {
        state->is_running = false;
        return;
      }
      task = std::move(state->waiting.front());
      state->waiting.pop_front();
    }
    // The next task goes to the back of the queue, so that other users of the
    // queue have their turn.
    Start(std::move(state), std::move(task));
  });
}

}  // namespace leat
