// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// TimerQueue: calls back at a time, on one thread of its own. Thread-safe.
#ifndef LEAT_CORE_TIMER_QUEUE_H_
#define LEAT_CORE_TIMER_QUEUE_H_

#include <chrono>
#include <cstdint>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"

namespace leat {

class TimerQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Id = uint64_t;  // never 0, never reused
  // Must be quick; may call At and Cancel.
  using Callback = absl::AnyInvocable<void() &&>;

  explicit TimerQueue(absl::string_view thread_name);
  // Forgets what has not begun and waits for what runs. Not to be called from a
  // callback.
  ~TimerQueue();

  Id At(Clock::time_point when, Callback callback);

  // False when the callback has run, runs, or was never there.
  bool Cancel(Id id);

 private:
  class Implementation;
  const std::unique_ptr<Implementation> implementation_;
};

// When a time that begins now is over; one that is longer than the clock runs
// never is.
TimerQueue::Clock::time_point DeadlineAfter(std::chrono::nanoseconds time);

}  // namespace leat

#endif  // LEAT_CORE_TIMER_QUEUE_H_
