// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/handover.h"

#include <chrono>
#include <memory>

#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::handover_test {
namespace {

using std::chrono::seconds;
using testing::SimulatedClock;

TEST(HandoverTest, GivesWhatWasSetBefore) {
  Handover<std::unique_ptr<int>> handover;
  handover.Set(std::make_unique<int>(7));
  EXPECT_EQ(*handover.Wait(), 7);
}

TEST(HandoverTest, LetsSimulatedTimePassWhileAThreadWaits) {
  SimulatedClock clock;
  const Clock::time_point begin = clock.Now();
  Handover<int> handover;
  const Thread sets("sets", [&] {
    clock.Sleep(seconds(5));
    handover.Set(7);
  });
  EXPECT_EQ(handover.Wait(), 7);
  EXPECT_EQ(clock.Now() - begin, seconds(5));
}

}  // namespace
}  // namespace leat::handover_test
