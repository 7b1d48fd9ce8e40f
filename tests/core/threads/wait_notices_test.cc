// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/wait_notices.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::wait_notices_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::SimulatedClock;

// `said_` holds one text for each notice, such as "101: waiting for 1". The
// first number is the time of the notice, in seconds after Begin. The second
// number is the duration of the wait, in seconds.
class WaitNoticesTest : public ::testing::Test {
 protected:
  void Begin() {
    begin_ = clock_.Now();
    notices_.emplace(
        timers_,
        [this](absl::string_view sentence) {
          said_.push_back(
              absl::StrCat(SecondsOf(clock_.Now() - begin_), ": ", sentence));
        },
        [](Clock::duration waited) {
          return absl::StrCat("waiting for ", SecondsOf(waited));
        });
  }
  // Runs `count` steps. Each step takes the time `each`.
  void RunSteps(int count, Clock::duration each) {
    for (int i = 0; i < count; ++i) {
      clock_.Advance(each);
      notices_->Restart(clock_.Now());
    }
  }
  static std::string SecondsOf(Clock::duration time) {
    return absl::StrCat(std::chrono::duration<double>(time).count());
  }

  SimulatedClock clock_;
  TimerQueue timers_{"notices", clock_};
  // The thread of `timers_` writes this vector. The test reads the vector while
  // that thread waits.
  std::vector<std::string> said_;
  Clock::time_point begin_;
  std::optional<WaitNotices> notices_;
};

TEST_F(WaitNoticesTest, AreSaidAtTheirTimes) {
  Begin();
  clock_.Advance(seconds(95));
  EXPECT_THAT(said_, ElementsAre("1: waiting for 1", "10: waiting for 10",
                                 "30: waiting for 30", "60: waiting for 60",
                                 "90: waiting for 90"));
  notices_.reset();
  clock_.Advance(seconds(1000));
  EXPECT_EQ(said_.size(), 5u);
}

TEST_F(WaitNoticesTest, AreNotSaidAboutAShortWait) {
  for (int i = 0; i < 100; ++i) {
    Begin();
    clock_.Advance(milliseconds(999));
    notices_.reset();
  }
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(WaitNoticesTest, AreNotSaidAboutQuickSteps) {
  Begin();
  RunSteps(10'000, milliseconds(10));
  EXPECT_THAT(said_, IsEmpty());
  // The next step does not end.
  clock_.Advance(seconds(20));
  EXPECT_THAT(said_, ElementsAre("101: waiting for 1", "110: waiting for 10"));
}

TEST_F(WaitNoticesTest, AreNotSaidAboutEachSlowStep) {
  Begin();
  RunSteps(48, seconds(2));
  EXPECT_THAT(said_, ElementsAre("1: waiting for 1", "10: waiting for 2",
                                 "30: waiting for 2", "60: waiting for 2",
                                 "90: waiting for 2"));
  said_.clear();
  // After these quick steps, more than 30 seconds have passed since the last
  // notice. So the next wait begins with the first notice again.
  RunSteps(26, milliseconds(999));
  clock_.Advance(seconds(11));
  EXPECT_THAT(said_,
              ElementsAre("122.974: waiting for 1", "131.974: waiting for 10"));
}

TEST_F(WaitNoticesTest, TheEndWaitsUntilASentenceHasBeenSaid) {
  testing::Event begun;
  std::atomic<bool> is_said = false;
  std::optional<WaitNotices> notices;
  notices.emplace(
      timers_,
      [&](absl::string_view) {
        begun.Set();
        clock_.Sleep(seconds(5));
        is_said = true;
      },
      [](Clock::duration) { return std::string("x"); });
  EXPECT_TRUE(begun.Wait());
  notices.reset();
  EXPECT_TRUE(is_said);
}

TEST_F(WaitNoticesTest, AreNotSaidToNobody) {
  const WaitNotices notices(timers_, nullptr,
                            [](Clock::duration) { return std::string("x"); });
  clock_.Advance(seconds(100));
}

}  // namespace
}  // namespace leat::wait_notices_test
