// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/watchdog.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "leat/core/threads/clock.h"

namespace leat::soak {
namespace {

// No wait of a round lasts much longer than a minute. So a round takes ten
// minutes only if it hangs, or if nearly all of its waits reach their time
// limits.
constexpr std::chrono::minutes kLongestRound(10);

}  // namespace

Watchdog::Watchdog(std::string what)
    : what_(std::move(what)), thread_([this] { Watch(); }) {}

Watchdog::~Watchdog() {
  {
    MutexLock lock(mutex_);
    is_over_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void Watchdog::Watch() {
  const Clock::time_point limit = RealClock().After(kLongestRound);
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (RealClock().Now() >= limit) {
      std::cout << "FAILED " << what_ << " hangs\n" << std::flush;
      std::abort();
    }
    RealClock().WaitUntil(changed_, mutex_, limit);
  }
}

}  // namespace leat::soak
