// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldTimers: no timer fires while it is there, however slow the machine is.
#ifndef LEAT_TESTS_DISTRIBUTED_HELD_TIMERS_H_
#define LEAT_TESTS_DISTRIBUTED_HELD_TIMERS_H_

#include <memory>

#include "leat/core/timer_queue.h"
#include "leat/tests/testing/event.h"

namespace leat::testing {

// Of those that are asked for later on.
class HeldTimers {
 public:
  explicit HeldTimers(TimerQueue& timers) {
    // It is called before all that are to be called later.
    timers.At(TimerQueue::Clock::now(), [over = over_] { over->Wait(); });
  }
  ~HeldTimers() { over_->Set(); }
  HeldTimers(const HeldTimers&) = delete;
  HeldTimers& operator=(const HeldTimers&) = delete;

 private:
  const std::shared_ptr<Event> over_ = std::make_shared<Event>();
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_HELD_TIMERS_H_
