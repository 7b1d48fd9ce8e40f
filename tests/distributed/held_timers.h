// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HeldTimers stops a TimerQueue, so that no timer fires during a part of a
// test, however slow the machine is.
#ifndef LEAT_TESTS_DISTRIBUTED_HELD_TIMERS_H_
#define LEAT_TESTS_DISTRIBUTED_HELD_TIMERS_H_

#include <memory>

#include "leat/core/threads/timer_queue.h"
#include "leat/tests/testing/event.h"

namespace leat::testing {

// Holds, while it lives, all timers that are added after its construction. Must
// not outlive `timers`. To be used by one thread.
class HeldTimers {
 public:
  explicit HeldTimers(TimerQueue& timers) {
    // This callback is due before all that are added later, and blocks the only
    // thread of the queue.
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
