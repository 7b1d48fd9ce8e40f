// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TimerQueue calls functions at given times, on one thread of its own.
//
//   TimerQueue timers("leat-timers", clock);
//   timers.After(std::chrono::seconds(1), [] { Sweep(); });
#ifndef LEAT_CORE_THREADS_TIMER_QUEUE_H_
#define LEAT_CORE_THREADS_TIMER_QUEUE_H_

#include <cstdint>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"

namespace leat {

// A TimerQueue is a queue of callbacks, each with the time at which it runs. It
// is thread-safe. It owns its thread and the callbacks that have not run.
class TimerQueue {
 public:
  using Id = uint64_t;  // never 0, never reused
  // A callback must be quick, because it delays the next ones. It may call At
  // and Cancel.
  using Callback = absl::AnyInvocable<void() &&>;

  // Starts the thread, which gets the first 15 characters of `thread_name` as
  // its name. The times of callbacks are times of `clock`, which must outlive
  // the queue. Throws RefusedThread if the system refuses the thread; see
  // StartThreads (thread.h).
  explicit TimerQueue(absl::string_view thread_name,
                      Clock& clock = RealClock());
  // Drops the callbacks that have not begun, and waits for the callback that is
  // running, if there is one. Must not be called from a callback.
  ~TimerQueue();

  // Calls `callback` once at the time `when`, or as soon as possible if `when`
  // has passed. Returns an id for Cancel.
  Id At(Clock::time_point when, Callback callback);

  // Calls `callback` once, when `time` has passed. Returns an id for Cancel.
  Id After(Clock::duration time, Callback callback);

  // Drops the callback with the id `id`. Returns false if the callback has run,
  // is running, or is not in the queue.
  bool Cancel(Id id);

  // Returns the clock of the queue. Code that is given a queue uses this clock
  // for its other deadlines, too.
  Clock& clock() const { return clock_; }

 private:
  class Implementation;
  Clock& clock_;
  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_TIMER_QUEUE_H_
