// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/clock.h"

#include "leat/core/threads/mutex.h"

namespace leat {

void SleepUntil(Clock::time_point time) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  while (Clock::now() < time) never.WaitUntil(mutex, time);
}

}  // namespace leat
