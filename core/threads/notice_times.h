// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NoticeTimes says when to tell a user what a program is waiting for: after one
// second, again after 10 and 30 seconds, and then every 30 seconds.
//
//   NoticeTimes notices(clock.Now());
//   while (!answered) {
//     if (clock.WaitUntil(changed, mutex, notices.next())) continue;
//     notices.Pass();
//     ...
//   }
#ifndef LEAT_CORE_THREADS_NOTICE_TIMES_H_
#define LEAT_CORE_THREADS_NOTICE_TIMES_H_

#include <chrono>

#include "leat/core/threads/clock.h"

namespace leat {

// Is used by one thread at a time.
class NoticeTimes {
 public:
  // `begin` is the time at which the wait begins.
  explicit NoticeTimes(Clock::time_point begin)
      : begin_(begin), next_(begin + std::chrono::seconds(1)) {}

  // Returns the time of the next notice.
  Clock::time_point next() const { return next_; }

  // Moves on to the next time. Call it when a notice has been given.
  void Pass() {
    const Clock::time_point second = begin_ + std::chrono::seconds(10);
    const Clock::time_point third = begin_ + std::chrono::seconds(30);
    if (next_ < second) {
      next_ = second;
    } else if (next_ < third) {
      next_ = third;
    } else {
      next_ += std::chrono::seconds(30);
    }
  }

 private:
  const Clock::time_point begin_;
  Clock::time_point next_;
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_NOTICE_TIMES_H_
