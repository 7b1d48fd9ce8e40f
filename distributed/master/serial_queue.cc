// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/serial_queue.h"

#include <utility>

namespace leat {

bool SerialQueue::Add(WorkQueue::Closure&& closure) {
  {
    MutexLock lock(state_->mutex);
    if (state_->is_running) {
      if (state_->waiting.size() >= max_waiting_) return false;
      state_->waiting.push_back(std::move(closure));
      return true;
    }
    state_->is_running = true;
  }
  Start(state_, std::move(closure));
  return true;
}

void SerialQueue::Start(std::shared_ptr<State> state,
                        WorkQueue::Closure closure) {
  WorkQueue& queue = state->queue;
  queue.Add([state = std::move(state), closure = std::move(closure)]() mutable {
    std::move(closure)();
    // Destroys the closure, and the objects that it holds, before the next
    // closure runs.
    closure = nullptr;
    {
      MutexLock lock(state->mutex);
      if (state->waiting.empty()) {
        state->is_running = false;
        return;
      }
      closure = std::move(state->waiting.front());
      state->waiting.pop_front();
    }
    // The next closure goes to the back of the WorkQueue, so that other users
    // of the WorkQueue get their turn.
    Start(std::move(state), std::move(closure));
  });
}

}  // namespace leat
