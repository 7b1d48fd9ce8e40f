// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/trace/clock_offsets.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::clock_offsets_test {
namespace {

using ::testing::ElementsAre;

TEST(ClockOffsetsTest, AClockThatMayBeTheMastersIsTakenForIt) {
  // The bounds allow the offset 0. So ClockOffsets assumes that the task has
  // the master's clock. The middle of the bounds would be wrong, because the
  // reply took much longer than the request.
  EXPECT_THAT(ClockOffsets({{-50'000'000, 60'000}, {-3, 0}, {0, 3}}, {}),
              ElementsAre(0, 0, 0));
}

// An offset is the middle of its two bounds: ((t1 - t0) + (t2 - t3)) / 2, as in
// NTP.
TEST(ClockOffsetsTest, AnotherClockIsInTheMiddleOfWhatItsCallAllows) {
  EXPECT_THAT(ClockOffsets({{900, 1000}, {-1000, -900}}, {}),
              ElementsAre(950, -950));
}

// The call allows offsets of task 1 from 900 to 1,000. In the first case, an
// event of task 1 preceded an event of task 0, so the offset is at least 960.
// In the second case, an event of task 0 preceded an event of task 1, so the
// offset is at most 920.
TEST(ClockOffsetsTest, WhatWasSentIsReceivedLater) {
  EXPECT_THAT(ClockOffsets({{-10, 10}, {900, 1000}},
                           {{.earlier = 1, .later = 0, .lead = 960}}),
              ElementsAre(0, 980));
  EXPECT_THAT(ClockOffsets({{-10, 10}, {900, 1000}},
                           {{.earlier = 0, .later = 1, .lead = -920}}),
              ElementsAre(0, 910));
}

TEST(ClockOffsetsTest, OrdersReachTasksOverOthers) {
  // Only the offset of task 2 is known. Task 2 has sent to task 1, and task 1
  // has sent to task 0.
  const std::vector<int64_t> offsets = ClockOffsets(
      {{}, {}, {500, 500}}, {{.earlier = 2, .later = 1, .lead = 100},
                             {.earlier = 1, .later = 0, .lead = 700}});
  EXPECT_EQ(offsets[2], 500);
  EXPECT_LE(offsets[1], 400);
  EXPECT_LE(offsets[0], offsets[1] - 700);
}

// The test chooses the clocks and the events first, so a solution exists.
TEST(ClockOffsetsTest, FitBoundsAndOrdersThatHaveASolution) {
  std::mt19937_64 random(7);
  const auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    const size_t count = static_cast<size_t>(number(1, 8));
    std::vector<int64_t> truth;
    std::vector<ClockBounds> bounds;
    for (size_t i = 0; i < count; ++i) {
      truth.push_back(number(0, 3) == 0 ? 0 : number(-1'000'000, 1'000'000));
      bounds.push_back(
          {truth[i] - number(0, 5000), truth[i] + number(0, 5000)});
    }
    std::vector<ClockOrder> orders;
    for (int i = number(0, 30); i > 0; --i) {
      const auto a = static_cast<size_t>(number(0, count - 1));
      const auto b = static_cast<size_t>(number(0, count - 1));
      orders.push_back({a, b, truth[a] - truth[b] - number(0, 300)});
    }
    const std::vector<int64_t> offsets = ClockOffsets(bounds, orders);
    ASSERT_EQ(offsets.size(), count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_GE(offsets[i], bounds[i].low);
      EXPECT_LE(offsets[i], bounds[i].high);
    }
    for (const ClockOrder& order : orders) {
      EXPECT_GE(offsets[order.earlier] - offsets[order.later], order.lead)
          << "round " << round;
    }
  }
}

TEST(ClockOffsetsTest, ContradictionsEnd) {
  const int64_t far = kMaxClockOffset;
  for (const int64_t lead : {int64_t{1}, far, -far}) {
    EXPECT_EQ(ClockOffsets({{10, -10}, {far, -far}, {}},
                           {{.earlier = 0, .later = 1, .lead = lead},
                            {.earlier = 1, .later = 0, .lead = lead},
                            {.earlier = 2, .later = 2, .lead = lead}})
                  .size(),
              3);
  }
  EXPECT_TRUE(ClockOffsets({}, {}).empty());
}

}  // namespace
}  // namespace leat::clock_offsets_test
