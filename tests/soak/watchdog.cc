// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/watchdog.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "leat/core/threads/clock.h"

namespace leat::soak {
namespace {

// Every wait of a round is limited to a minute, and there are about ten.
constexpr std::chrono::minutes kPatience(10);

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
  const Clock::time_point limit = RealClock().After(kPatience);
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (RealClock().Now() >= limit) {
      std::cout << "FAILED, because this hangs: " << what_ << "\n"
                << std::flush;
      std::abort();
    }
    RealClock().WaitUntil(changed_, mutex_, limit);
  }
}

}  // namespace leat::soak
