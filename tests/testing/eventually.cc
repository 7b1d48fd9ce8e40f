// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/eventually.h"

#include <cstdio>
#include <cstdlib>

namespace leat::testing {

void CheckMayWaitInRealTime() {
  if (std::getenv("LEAT_TEST_SIMULATES_TIME") == nullptr) return;
  std::fputs(
      "Eventually was called without a SimulatedClock, so the test would "
      "sleep. "
      "Tests in this process must simulate time.\n",
      stderr);
  std::abort();
}

}  // namespace leat::testing
