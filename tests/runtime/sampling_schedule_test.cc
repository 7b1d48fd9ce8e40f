// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/sampling_schedule.h"

#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"

namespace leat::sampling_schedule_test {
namespace {

using Kind = SamplingSchedule::Kind;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

// Counts what a schedule lets steps do.
struct Totals {
  int64_t sampled = 0;
  int64_t timed = 0;
  nanoseconds all = {};
  nanoseconds in_samples = {};

  double share() const {
    return static_cast<double>(in_samples.count()) /
           static_cast<double>(all.count());
  }
};

void RunFirst(SamplingSchedule& schedule, nanoseconds time = microseconds(10)) {
  constexpr int kFirst =
      SamplingSchedule::kWarmUpSteps + SamplingSchedule::kFirstSamples;
  for (int i = 0; i < kFirst; ++i) {
    const auto turn = schedule.Begin(i);
    if (turn.kind != Kind::kPlain) schedule.End(turn, time);
  }
}

// Runs steps with the numbers first, first + stride and so on, one after
// another. `time` says how long the next one takes, and a sampled one takes
// `slowdown` times as long.
Totals RunSteps(SamplingSchedule& schedule, int64_t count,
                absl::FunctionRef<nanoseconds()> time, int slowdown = 3,
                int64_t first = 1, int64_t stride = 1) {
  Totals totals;
  for (int64_t i = 0; i < count; ++i) {
    const auto turn = schedule.Begin(first + stride * i);
    nanoseconds taken = time();
    if (turn.kind == Kind::kSampled) {
      taken *= slowdown;
      ++totals.sampled;
      totals.in_samples += taken;
    }
    if (turn.kind == Kind::kTimed) ++totals.timed;
    totals.all += taken;
    if (turn.kind != Kind::kPlain) schedule.End(turn, taken);
  }
  return totals;
}

TEST(SamplingScheduleTest, SamplesTenStepsAfterAWarmUp) {
  SamplingSchedule schedule;
  std::vector<Kind> kinds;
  for (int i = 0; i < 12; ++i) {
    const auto turn = schedule.Begin(i);
    kinds.push_back(turn.kind);
    if (turn.kind != Kind::kPlain) schedule.End(turn, microseconds(1));
  }
  std::vector<Kind> expected(2, Kind::kPlain);
  expected.insert(expected.end(), 10, Kind::kSampled);
  EXPECT_EQ(kinds, expected);
}

TEST(SamplingScheduleTest, ThenSamplesAtMostTheShare) {
  for (const int slowdown : {1, 3, 100}) {
    SamplingSchedule schedule;
    RunFirst(schedule, slowdown * microseconds(10));
    const Totals totals = RunSteps(
        schedule, 1'000'000, [] { return microseconds(10); }, slowdown);
    EXPECT_LE(totals.share(), 0.005) << slowdown;
    EXPECT_GE(totals.share(), 0.003) << slowdown;
  }
}

TEST(SamplingScheduleTest, KeepsTheShareWhenTimesVary) {
  std::mt19937 random(7);
  std::exponential_distribution<double> micros(0.01);
  SamplingSchedule schedule;
  RunFirst(schedule);
  const Totals totals = RunSteps(schedule, 1'000'000, [&] {
    return nanoseconds(static_cast<int64_t>(1000 * micros(random)));
  });
  EXPECT_LE(totals.share(), 0.0055);
  EXPECT_GT(totals.sampled, 100);
}

TEST(SamplingScheduleTest, TimesOneOf64Steps) {
  SamplingSchedule schedule;
  RunFirst(schedule);
  const Totals totals =
      RunSteps(schedule, 640'000, [] { return microseconds(10); });
  EXPECT_NEAR(static_cast<double>(totals.timed + totals.sampled), 10'000, 100);
}

// Plans that take turns get every second number, or every 64th.
TEST(SamplingScheduleTest, LeavesNoRegularNumbersOut) {
  for (const int64_t stride : {2, 3, 64, 128, 1000}) {
    SamplingSchedule schedule;
    RunFirst(schedule);
    const Totals totals = RunSteps(
        schedule, 1'000'000, [] { return microseconds(10); }, /*slowdown=*/3,
        /*first=*/1, stride);
    EXPECT_LE(totals.share(), 0.0055) << stride;
    EXPECT_GE(totals.sampled, 100) << stride;
  }
}

// The clients of a session may begin many steps before the first one ends.
TEST(SamplingScheduleTest, SetsTimeAsideForStepsThatRunAtTheSameTime) {
  SamplingSchedule schedule;
  RunFirst(schedule);
  RunSteps(schedule, 100'000, [] { return microseconds(10); });
  int sampled = 0;
  for (int64_t i = 0; i < 100'000; ++i) {
    if (schedule.Begin(i).kind == Kind::kSampled) ++sampled;
  }
  EXPECT_LE(sampled, 1);
}

}  // namespace
}  // namespace leat::sampling_schedule_test
