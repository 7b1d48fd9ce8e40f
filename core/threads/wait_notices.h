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

// Says a sentence at the NoticeTimes (notice_times.h) of a wait. The wait
// begins when this is made and ends when this is destroyed. Nothing is said
// about a wait that takes less than a second. Thread-safe.
class WaitNotices {
 public:
  // Is given the sentence, on the thread of the timers.
  using Say = std::function<void(absl::string_view sentence)>;
  // Returns the sentence. `waited` is the time since the wait began. Called on
  // the thread of the timers.
  using Sentence = std::function<std::string(Clock::duration waited)>;

  // Begins the wait. If `say` is null, nothing is ever said. `timers`, whose
  // clock tells the times, is borrowed and must outlive this.
  WaitNotices(TimerQueue& timers, Say say, Sentence sentence);
  // If a sentence is being said, waits until it has been said. Must not be
  // called by `say` or `sentence`.
  ~WaitNotices();
  WaitNotices(const WaitNotices&) = delete;
  WaitNotices& operator=(const WaitNotices&) = delete;

  // Ends the wait and begins the next one at the time `now`. This takes about a
  // nanosecond, so a loop can call it for each of its quick steps.
  //
  // A wait that begins at most 30 seconds after a notice continues the times of
  // the wait that had the notice. So a loop whose steps take two seconds each
  // does not bring a notice for each step.
  void Restart(Clock::time_point now);

 private:
  class State;
  const std::shared_ptr<State> state_;  // the timers share it
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_WAIT_NOTICES_H_
