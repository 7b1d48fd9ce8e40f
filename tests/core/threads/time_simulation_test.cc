// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests how Clock, CondVar, Thread, LongMutex, TimerQueue and WorkQueue take
// part in a simulation of the time.
#include "leat/core/threads/time_simulation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/long_mutex.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::time_simulation_test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::Advance;
using testing::AdvanceUntil;
using testing::Event;
using testing::Settle;
using testing::SimulatedClock;

class TimeSimulationTest : public ::testing::Test {
 protected:
  // Returns the time since the test began.
  nanoseconds Now() const { return Clock::now() - begin_; }

  SimulatedClock clock_;
  const Clock::time_point begin_ = Clock::now();
};

TEST_F(TimeSimulationTest, TimeStandsStillWhileAThreadRuns) {
  Thread sleeps([] { SleepFor(nanoseconds(1)); });
  const auto end = std::chrono::steady_clock::now() + milliseconds(20);
  while (std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(Now(), nanoseconds(0));
}

TEST_F(TimeSimulationTest, TimeGoesOnWhenEveryThreadWaits) {
  SleepFor(hours(1));
  EXPECT_EQ(Now(), hours(1));
  Advance(minutes(1));
  EXPECT_EQ(Now(), hours(1) + minutes(1));
  SleepUntil(begin_);  // has passed
  Settle();
  EXPECT_EQ(Now(), hours(1) + minutes(1));
}

TEST_F(TimeSimulationTest, ThreadsWakeInTheOrderOfTheirTimes) {
  constexpr int kThreads = 20;
  std::minstd_rand random(1);
  std::vector<nanoseconds> woken;
  std::vector<Thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    // No two threads run at the same time, since no two wait for the same time.
    threads.emplace_back([&, time = seconds(random() % 1000 * kThreads + i)] {
      SleepFor(time);
      EXPECT_EQ(Now(), time);
      woken.push_back(time);
    });
  }
  threads.clear();
  EXPECT_EQ(woken.size(), kThreads);
  EXPECT_TRUE(std::is_sorted(woken.begin(), woken.end()));
}

TEST_F(TimeSimulationTest, ATimerRunsAtItsTime) {
  TimerQueue timers("test-timers");
  std::vector<nanoseconds> calls;
  for (const int time : {30, 10, 20}) {
    timers.At(DeadlineAfter(seconds(time)), [&] { calls.push_back(Now()); });
  }
  Advance(seconds(10) - nanoseconds(1));
  EXPECT_EQ(calls.size(), 0u);
  Advance(nanoseconds(1));
  EXPECT_EQ(calls.size(), 1u);
  Advance(hours(1));
  EXPECT_EQ(calls,
            (std::vector<nanoseconds>{seconds(10), seconds(20), seconds(30)}));
}

TEST_F(TimeSimulationTest, WhatATimerStartsEndsBeforeTheNextTime) {
  const auto pool = NewThreadPool("test", 4);
  TimerQueue timers("test-timers");
  std::atomic<int> runs = 0;
  std::function<void(int)> chain = [&](int length) {
    ++runs;
    if (length > 1) pool->Add([&, length] { chain(length - 1); });
  };
  timers.At(DeadlineAfter(seconds(1)), [&] { chain(1000); });
  timers.At(DeadlineAfter(seconds(1) + nanoseconds(1)),
            [&] { EXPECT_EQ(runs, 1000); });
  Advance(seconds(1));
  EXPECT_EQ(runs, 1000);
  Advance(seconds(1));
}

TEST_F(TimeSimulationTest, ADeadlineIsFalseOnlyIfNobodyNotifiedBefore) {
  Mutex mutex;
  CondVar changed;
  bool is_set = false;
  Thread sets([&] {
    SleepFor(seconds(5));
    MutexLock lock(mutex);
    is_set = true;
    changed.NotifyOne();
  });
  MutexLock lock(mutex);
  EXPECT_FALSE(changed.WaitUntil(mutex, DeadlineAfter(seconds(3))));
  EXPECT_EQ(Now(), seconds(3));
  EXPECT_TRUE(changed.WaitUntil(mutex, DeadlineAfter(seconds(3))));
  EXPECT_EQ(Now(), seconds(5));
  EXPECT_TRUE(is_set);
}

// A deadline that has passed, too, is waited for until all others wait.
TEST_F(TimeSimulationTest, WhatCanHappenNowHappensBeforeADeadlineOfNow) {
  Event event;
  Thread sets([&] { event.Set(); });
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  EXPECT_FALSE(never.WaitUntil(mutex, begin_));
  EXPECT_TRUE(event.IsSet());
}

TEST_F(TimeSimulationTest, WhoIsNotifiedRunsFromThenOn) {
  constexpr int kRounds = 1000;
  Mutex mutex;
  CondVar changed;
  int turn = 0;
  const auto play = [&](int player) {
    MutexLock lock(mutex);
    for (int i = 0; i < kRounds; ++i) {
      while (turn % 2 != player) changed.Wait(mutex);
      ++turn;
      changed.NotifyAll();
    }
  };
  Thread even([&] { play(0); }), odd([&] { play(1); });
  SleepFor(nanoseconds(1));  // begins behind the last round
  MutexLock lock(mutex);
  EXPECT_EQ(turn, 2 * kRounds);
}

TEST_F(TimeSimulationTest, NotifyOneWakesTheOneThatWaitsForLongest) {
  Mutex mutex;
  CondVar changed;
  int tickets = 0;
  std::vector<int> order;
  std::vector<Thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      MutexLock lock(mutex);
      while (tickets == 0) changed.Wait(mutex);
      --tickets;
      order.push_back(i);
    });
    Settle();
  }
  for (size_t i = 1; i <= 5; ++i) {
    {
      MutexLock lock(mutex);
      ++tickets;
    }
    changed.NotifyOne();
    Settle();
    MutexLock lock(mutex);
    EXPECT_EQ(order.size(), i);
  }
  threads.clear();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(TimeSimulationTest, WhoJoinsOrWantsALongMutexWaits) {
  LongMutex mutex;
  int locked = 0;
  const auto lock_for_an_hour = [&] {
    LongMutexLock lock(mutex);
    ++locked;
    SleepFor(hours(1));
  };
  Thread first(lock_for_an_hour), second(lock_for_an_hour);
  first.Join();
  second.Join();
  EXPECT_EQ(Now(), hours(2));
  EXPECT_EQ(locked, 2);
}

TEST_F(TimeSimulationTest, APoolRunsAllTasksBeforeItEnds) {
  std::atomic<int> runs = 0;
  {
    const auto pool = NewThreadPool("test", 2);
    for (int i = 0; i < 4; ++i) {
      pool->Add([&] {
        SleepFor(minutes(1));
        ++runs;
      });
    }
  }
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(Now(), minutes(2));
}

TEST_F(TimeSimulationTest, AdvanceUntilEndsWhenTheConditionIsTrue) {
  TimerQueue timers("test-timers");
  std::atomic<int> beats = 0;
  std::function<void()> beat = [&] {
    ++beats;
    timers.At(DeadlineAfter(seconds(1)), [&] { beat(); });
  };
  beat();
  EXPECT_TRUE(AdvanceUntil([&] { return beats == 11; }));
  EXPECT_EQ(Now(), seconds(10));
  EXPECT_FALSE(AdvanceUntil([&] { return beats == 100; }));
  EXPECT_EQ(Now(), seconds(70));
  EXPECT_TRUE(AdvanceUntil([&] { return beats == 100; }, hours(1)));
}

TEST_F(TimeSimulationTest, AdvanceUntilEndsWhenNobodyWaitsForATime) {
  TimerQueue timers("test-timers");
  EXPECT_FALSE(AdvanceUntil([] { return false; }));
  EXPECT_EQ(Now(), nanoseconds(0));
}

TEST(TimeSimulationDeathTest, EveryThreadWaitsForEver) {
  EXPECT_DEATH(
      {
        SimulatedClock clock;
        Thread waits("waits-for-ever", [&] {
          Mutex mutex;
          CondVar never;
          MutexLock lock(mutex);
          for (;;) never.Wait(mutex);
        });
        waits.Join();
      },
      "Every thread waits, and none of them for a time.*waits-for-ever");
}

TEST(TimeSimulationDeathTest, TheSimulationDoesNotEnd) {
  EXPECT_DEATH(
      {
        SimulatedClock clock;
        for (;;) SleepFor(hours(1));
      },
      "more than 100 days");
}

TEST(TimeSimulationDeathTest, AThreadOutsideTakesPart) {
  EXPECT_DEATH(
      {
        SimulatedClock clock;
        std::thread([] { Clock::now(); }).join();
      },
      "does not belong to the simulation");
}

TEST(TimeSimulationDeathTest, AThreadIsLeft) {
  EXPECT_DEATH(
      {
        std::optional<SimulatedClock> clock(std::in_place);
        Thread sleeps("sleeper", [] { SleepFor(hours(1)); });
        Settle();
        clock.reset();
      },
      "Threads are left at the end of the simulation.*sleeper");
}

// The functions that tests call mean the same without a simulation.
TEST(RealTimeTest, TestsRunInRealTime) {
  std::atomic<bool> is_set = false;
  const Clock::time_point begin = Clock::now();
  Thread sets([&] {
    SleepFor(milliseconds(20));
    is_set = true;
  });
  EXPECT_TRUE(AdvanceUntil([&] { return is_set.load(); }));
  EXPECT_GE(Clock::now() - begin, milliseconds(20));
  EXPECT_FALSE(AdvanceUntil([] { return false; }, milliseconds(5)));
  Advance(milliseconds(5));
  Settle();
  EXPECT_GE(Clock::now() - begin, milliseconds(30));
}

TEST(RealTimeTest, ASimulationLeavesNothingBehind) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    SimulatedClock clock;
    SleepFor(hours(1));
  }
  EXPECT_EQ(TimeSimulation::Get(), nullptr);
  EXPECT_GE(Clock::now(), begin);
  EXPECT_LT(Clock::now(), begin + hours(1));
}

}  // namespace
}  // namespace leat::time_simulation_test
