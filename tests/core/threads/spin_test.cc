// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/spin.h"

#include <chrono>

#include "gtest/gtest.h"

namespace leat::spin_test {
namespace {

using SteadyClock = std::chrono::steady_clock;

int YieldForLong() {
  const SteadyClock::time_point begin = SteadyClock::now();
  while (SteadyClock::now() - begin <= IdleSpin::kLongYield) {
  }
  return 0;
}

TEST(IdleSpinTest, SeesWhatIsReadyWithoutYielding) {
  IdleSpin spin;
  int yields = 0;
  EXPECT_TRUE(spin.Until([] { return true; }, [&] { ++yields; }));
  EXPECT_EQ(yields, 0);
}

TEST(IdleSpinTest, SeesWhatBecomesReady) {
  IdleSpin spin;
  int looks = 0;
  const auto look = [&] { return ++looks == 3; };
  while (!spin.Until(look, [] {})) EXPECT_LT(looks, 3);
  EXPECT_EQ(looks, 3);
}

TEST(IdleSpinTest, GivesUpInTheEnd) {
  IdleSpin spin;
  const SteadyClock::time_point begin = SteadyClock::now();
  EXPECT_FALSE(spin.Until([] { return false; }, [] {}));
  EXPECT_GE(SteadyClock::now() - begin, IdleSpin::kLongest);
}

TEST(IdleSpinTest, RestsAfterALongYieldAndThenLooksAgain) {
  IdleSpin spin;
  int looks = 0;
  const auto look = [&] {
    ++looks;
    return looks > 1;
  };
  const SteadyClock::time_point begin = SteadyClock::now();
  EXPECT_FALSE(spin.Until(look, YieldForLong));
  EXPECT_EQ(looks, 1);
  while (!spin.Until(look)) EXPECT_EQ(looks, 1);
  EXPECT_GE(SteadyClock::now() - begin, IdleSpin::kRest);
}

}  // namespace
}  // namespace leat::spin_test
