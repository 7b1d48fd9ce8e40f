// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldTimers: no timer fires while it is there, however slow the machine is.
#ifndef LEAT_TESTS_DISTRIBUTED_HELD_TIMERS_H_
#define LEAT_TESTS_DISTRIBUTED_HELD_TIMERS_H_

#include <memory>

#include "leat/core/mutex.h"
#include "leat/core/timer_queue.h"

namespace leat::testing {

// Of those that are asked for later on.
class HeldTimers {
 public:
  explicit HeldTimers(TimerQueue& timers) {
    // It is called before all that are to be called later.
    timers.At(TimerQueue::Clock::now(), [state = state_] {
      MutexLock lock(state->mutex);
      while (!state->is_over) state->over.Wait(state->mutex);
    });
  }
  ~HeldTimers() {
    MutexLock lock(state_->mutex);
    state_->is_over = true;
    state_->over.NotifyAll();
  }
  HeldTimers(const HeldTimers&) = delete;
  HeldTimers& operator=(const HeldTimers&) = delete;

 private:
  struct State {
    Mutex mutex;
    CondVar over;
    bool is_over ABSL_GUARDED_BY(mutex) = false;
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_HELD_TIMERS_H_
