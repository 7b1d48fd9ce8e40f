// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/clock.h"

#include <chrono>
#include <optional>

#include "gtest/gtest.h"

namespace leat::clock_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

static_assert(std::chrono::is_clock_v<Clock>);

TEST(ClockTest, IsTheSteadyClock) {
  const auto before = std::chrono::steady_clock::now();
  const Clock::time_point now = Clock::now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, std::chrono::steady_clock::now());
}

TEST(ClockTest, DeadlinesAreFromNow) {
  const Clock::time_point before = Clock::now();
  const Clock::time_point deadline = DeadlineAfter(milliseconds(5));
  EXPECT_GE(deadline, before + milliseconds(5));
  EXPECT_LE(deadline, Clock::now() + milliseconds(5));
  const std::optional<Clock::time_point> now =
      FiniteDeadlineAfter(nanoseconds(0));
  EXPECT_LE(now, Clock::now());
}

TEST(ClockTest, ANegativeTimeEndsNow) {
  const Clock::time_point before = Clock::now();
  EXPECT_GE(DeadlineAfter(milliseconds(-5)), before);
  EXPECT_GE(DeadlineAfter(nanoseconds::min()), before);
}

TEST(ClockTest, DeadlinesDoNotOverflow) {
  EXPECT_EQ(DeadlineAfter(nanoseconds::max()), Clock::time_point::max());
  EXPECT_EQ(FiniteDeadlineAfter(nanoseconds::max()), std::nullopt);
}

TEST(ClockTest, SleepsUntilTheTimeHasPassed) {
  const Clock::time_point begin = Clock::now();
  SleepFor(milliseconds(5));
  EXPECT_GE(Clock::now(), begin + milliseconds(5));
  SleepUntil(begin);
  SleepFor(milliseconds(-5));
}

}  // namespace
}  // namespace leat::clock_test
