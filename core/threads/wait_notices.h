// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WaitNotices tells a user what a program is waiting for, while a thread of the
// program waits for something that may take long.
//
//   TimerQueue timers("leat-notices");
//   {
//     const WaitNotices notices(timers, Say, [](Clock::duration) {
//       return "this program is waiting for the other tasks to end";
//     });
//     AwaitOtherTasks();
//   }  // From here on nothing is said.
#ifndef LEAT_CORE_THREADS_WAIT_NOTICES_H_
#define LEAT_CORE_THREADS_WAIT_NOTICES_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/timer_queue.h"

namespace leat {

// Calls `say` with a sentence at the NoticeTimes (notice_times.h) of a wait.
// The wait begins when this object is made, and ends when it is destroyed.
// There is no notice of a wait that takes less than a second. Is thread-safe.
class WaitNotices {
 public:
  // Shows the sentence to the user. Is called on the thread of the timers.
  using Say = std::function<void(absl::string_view sentence)>;
  // Returns the sentence. `waited` is the time since the wait began. Is called
  // on the thread of the timers.
  using Sentence = std::function<std::string(Clock::duration waited)>;

  // Begins the wait. If `say` is null, there are no notices. `timers` is
  // borrowed and must outlive this object. All times are those of the clock of
  // `timers`.
  WaitNotices(TimerQueue& timers, Say say, Sentence sentence);
  // Ends the wait. If a call of `sentence` or `say` is running, waits until it
  // returns. Must not be called by `say` or `sentence`.
  ~WaitNotices();
  WaitNotices(const WaitNotices&) = delete;
  WaitNotices& operator=(const WaitNotices&) = delete;

  // Ends the wait and begins the next one at the time `now`. This takes about a
  // nanosecond, so a loop can call it for each of its quick steps.
  //
  // If the last notice was given at most 30 seconds before the new wait begins,
  // the new wait continues with the NoticeTimes of the earlier wait. If each
  // wait had new NoticeTimes, a loop of steps that take two seconds each would
  // give a notice for each step.
  void Restart(Clock::time_point now);

 private:
  class State;
  const std::shared_ptr<State> state_;  // the timers share it
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_WAIT_NOTICES_H_
