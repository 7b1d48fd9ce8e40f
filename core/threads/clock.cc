// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/clock.h"

namespace leat {
namespace {

class SteadyClock final : public Clock {
 public:
  time_point Now() const override { return std::chrono::steady_clock::now(); }

  bool WaitUntil(CondVar& condition, Mutex& mutex, time_point deadline) override
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return condition.WaitUntil(mutex, deadline);
  }
};

}  // namespace

Clock::time_point Clock::After(duration time) const {
  const time_point now = Now();
  return time > time_point::max() - now ? time_point::max() : now + time;
}

void Clock::Sleep(duration time) {
  const time_point end = After(time);
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  while (Now() < end) WaitUntil(never, mutex, end);
}

Clock& RealClock() {
  static SteadyClock* const clock = new SteadyClock;
  return *clock;
}

}  // namespace leat
