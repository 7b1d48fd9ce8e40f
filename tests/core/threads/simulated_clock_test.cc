// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/simulated_clock.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/eventually.h"

namespace leat::simulated_clock_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Event;
using testing::Eventually;
using testing::SimulatedClock;
using testing::TestClock;

class SimulatedClockTest : public ::testing::Test {
 protected:
  SimulatedClock clock_;
  const Clock::time_point start_ = clock_.Now();
};

TEST_F(SimulatedClockTest, TimeStandsStillWhileAThreadRuns) {
  const Thread other("other", [&] { clock_.Sleep(hours(1)); });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_EQ(clock_.Now(), start_);
  clock_.Settle();
  EXPECT_EQ(clock_.Now(), start_);
}

TEST_F(SimulatedClockTest, TimeIsThatOfTheNextDeadlineWhenAllWait) {
  std::vector<Clock::duration> times;
  const auto sleeper = [&](seconds time) {
    return [this, &times, time] {
      clock_.Sleep(time);
      times.push_back(clock_.Now() - start_);
    };
  };
  Thread a("a", sleeper(seconds(30)));
  Thread b("b", sleeper(seconds(10)));
  Thread c("c", sleeper(seconds(20)));
  b.Join();
  EXPECT_EQ(clock_.Now() - start_, seconds(10));
  a.Join();
  c.Join();
  EXPECT_EQ(times, (std::vector<Clock::duration>{seconds(10), seconds(20),
                                                 seconds(30)}));
}

// `count` is not atomic, so the thread sanitizer reports a race if two threads
// continue at the same time.
TEST_F(SimulatedClockTest, ThreadsWithTheSameDeadlineGoOnOneAfterAnother) {
  int count = 0;
  std::vector<Thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back("sleeper", [&] {
      clock_.Sleep(seconds(1));
      ++count;
    });
  }
  clock_.Advance(seconds(1));
  EXPECT_EQ(count, 8);
}

TEST_F(SimulatedClockTest, AdvanceEndsAtItsTimeWithAllThatIsDueThen) {
  std::atomic<int> beats = 0;
  const Thread heart("heart", [&] {
    while (beats < 10) {
      clock_.Sleep(minutes(1));
      ++beats;
    }
  });
  clock_.Advance(seconds(59));
  EXPECT_EQ(beats, 0);
  clock_.Advance(seconds(1));
  EXPECT_EQ(beats, 1);
  clock_.Advance(seconds(239));
  EXPECT_EQ(beats, 4);
  EXPECT_EQ(clock_.Now() - start_, seconds(299));
}

TEST_F(SimulatedClockTest, AdvanceUntilStopsWhenItsConditionIsTrue) {
  std::atomic<int> beats = 0;
  const Thread heart("heart", [&] {
    while (beats < 10) {
      clock_.Sleep(minutes(1));
      ++beats;
    }
  });
  clock_.AdvanceUntil([&] { return beats == 3; });
  EXPECT_EQ(clock_.Now() - start_, minutes(3));
  clock_.AdvanceUntil([&] { return beats == 3; });
  EXPECT_EQ(clock_.Now() - start_, minutes(3));
}

TEST_F(SimulatedClockTest, AdvanceUntilGivesUpAfterItsTime) {
  std::atomic<int> beats = 0;
  const Thread heart("heart", [&] {
    while (beats < 4) {
      clock_.Sleep(minutes(1));
      ++beats;
    }
  });
  EXPECT_FALSE(clock_.AdvanceUntil([&] { return beats == 3; }, minutes(2)));
  EXPECT_EQ(beats, 2);
  EXPECT_TRUE(clock_.AdvanceUntil([&] { return beats == 3; }, minutes(1)));
  EXPECT_EQ(clock_.Now() - start_, minutes(3));
  // `heart` ends after its fourth beat. Then no thread has a deadline, so
  // AdvanceUntil returns before the hour is over.
  EXPECT_FALSE(clock_.AdvanceUntil([&] { return beats == 9; }, hours(1)));
  EXPECT_EQ(clock_.Now() - start_, minutes(4));
}

TEST_F(SimulatedClockTest, JumpDoesNotWaitForThreadsThatRun) {
  Thread sleeper("sleeper", [&] { clock_.Sleep(seconds(5)); });
  clock_.Settle();
  std::atomic<bool> is_busy = true;
  const Thread busy("busy", [&] {
    while (is_busy) std::this_thread::yield();
  });
  clock_.Jump(seconds(6));
  sleeper.Join();
  EXPECT_EQ(clock_.Now() - start_, seconds(6));
  is_busy = false;
}

TEST_F(SimulatedClockTest, WaitUntilTellsANotificationFromADeadline) {
  Mutex mutex;
  CondVar changed;
  MutexLock lock(mutex);
  EXPECT_FALSE(clock_.WaitUntil(changed, mutex, start_));
  EXPECT_FALSE(clock_.WaitUntil(changed, mutex, start_ + seconds(2)));
  EXPECT_EQ(clock_.Now() - start_, seconds(2));
  const Thread notifies("notifies", [&] {
    clock_.Sleep(seconds(3));
    changed.NotifyOne();
  });
  EXPECT_TRUE(clock_.WaitUntil(changed, mutex, start_ + seconds(60)));
  EXPECT_EQ(clock_.Now() - start_, seconds(5));
}

TEST_F(SimulatedClockTest, NotifyOneWakesTheOneThatWaitedLongest) {
  Mutex mutex;
  CondVar changed;
  std::vector<int> order;
  std::vector<Thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back("waits", [&, i] {
      MutexLock lock(mutex);
      changed.Wait(mutex);
      order.push_back(i);
    });
    clock_.Settle();
  }
  changed.NotifyOne();
  clock_.Settle();
  EXPECT_EQ(order, (std::vector<int>{0}));
  changed.NotifyAll();
  threads.clear();
  EXPECT_EQ(order.size(), 3u);
}

// The clock counts a thread as running as soon as the thread is notified, not
// only when it wakes up. Otherwise time could pass while one thread hands
// something to another.
TEST_F(SimulatedClockTest, NoTimePassesFromANotificationToTheWakeUp) {
  const auto timers = std::make_unique<TimerQueue>("timers", clock_);
  bool late = false;
  timers->At(clock_.After(seconds(1)), [&] { late = true; });
  for (int round = 0; round < 500; ++round) {
    Event there, back;
    const Thread other("other", [&] {
      there.Wait();
      back.Set();
    });
    there.Set();
    back.Wait();
  }
  EXPECT_EQ(clock_.Now(), start_);
  EXPECT_FALSE(late);
}

TEST_F(SimulatedClockTest, NoTimePassesUntilAThreadHasStarted) {
  std::vector<Clock::time_point> begins(200);
  const Thread ticks("ticks", [&] {
    for (int i = 0; i < 200; ++i) clock_.Sleep(seconds(1));
  });
  for (Clock::time_point& begin : begins) {
    const Clock::time_point before = clock_.Now();
    Thread starts("starts", [&] { begin = clock_.Now(); });
    starts.Join();
    EXPECT_EQ(begin, before);
  }
}

TEST_F(SimulatedClockTest, AThreadPoolTakesPart) {
  std::atomic<int> done = 0;
  const auto pool = NewThreadPool("pool", 2);
  for (int i = 0; i < 6; ++i) {
    pool->Add([&] {
      clock_.Sleep(seconds(1));
      ++done;
    });
  }
  clock_.Advance(seconds(2));
  EXPECT_EQ(done, 4);
  clock_.Advance(seconds(1));
  EXPECT_EQ(done, 6);
  EXPECT_EQ(clock_.Now() - start_, seconds(3));
}

TEST_F(SimulatedClockTest, AThreadThatIsNotPartOfItMayNotify) {
  Event event;
  std::thread stranger([&] { event.Set(); });
  while (!event.IsSet()) std::this_thread::yield();
  EXPECT_TRUE(event.Wait());
  stranger.join();
}

// ---- Errors that end the process ----

class SimulatedClockDeathTest : public ::testing::Test {
 protected:
  SimulatedClockDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SimulatedClockDeathTest, NobodyCanGoOn) {
  const auto deadlock = [] {
    SimulatedClock clock;
    TimerQueue timers("idle-timers", clock);
    Event never;
    never.Wait();
  };
  EXPECT_DEATH(deadlock(),
               "All threads wait, and none has a deadline.\n"
               "(.*\n)*  The thread \"idle-timers\" waits without a deadline.");
}

TEST_F(SimulatedClockDeathTest, NothingIsLeftThatAConditionCouldWaitFor) {
  const auto wait = [] {
    SimulatedClock clock;
    clock.AdvanceUntil([] { return false; });
  };
  EXPECT_DEATH(wait(), "All threads wait, and none has a deadline.");
}

TEST_F(SimulatedClockDeathTest, TheMessageHasTheNameOfTheSimulation) {
  const auto deadlock = [] {
    SimulatedClock clock("seed 7");
    Event never;
    never.Wait();
  };
  EXPECT_DEATH(deadlock(), "The simulation of seed 7 failed");
}

TEST_F(SimulatedClockDeathTest, AHeartBeatsOnWhileTheTestWaits) {
  const auto wait = [] {
    SimulatedClock clock;
    const Thread heart("heart", [&] {
      for (;;) clock.Sleep(hours(1));
    });
    Event never;
    never.Wait();
  };
  EXPECT_DEATH(wait(), "failed 2400h after .* not happened within 100 days");
}

TEST_F(SimulatedClockDeathTest, AStrangerWaits) {
  const auto wait = [] {
    SimulatedClock clock;
    std::thread([&] { clock.Sleep(hours(1)); }).join();
  };
  EXPECT_DEATH(wait(), "waits, but is not part of the simulation");
}

TEST_F(SimulatedClockDeathTest, AThreadWaitsForTheRealClock) {
  const auto wait = [] {
    SimulatedClock clock;
    RealClock().Sleep(hours(1));
  };
  EXPECT_DEATH(wait(), "waits for a time of the real clock");
}

TEST_F(SimulatedClockDeathTest, AThreadOutlivesTheClock) {
  const auto outlive = [] {
    auto clock = std::make_unique<SimulatedClock>();
    const TimerQueue timers("late-timers", *clock);
    clock.reset();
  };
  EXPECT_DEATH(outlive(), "destroyed before threads of its simulation");
}

TEST_F(SimulatedClockDeathTest, AnotherThreadLetsTimePass) {
  const auto advance = [] {
    SimulatedClock clock;
    Thread("other", [&] { clock.Advance(hours(1)); }).Join();
  };
  EXPECT_DEATH(advance(), "Only the thread that made the clock");
}

TEST_F(SimulatedClockDeathTest, ATestWithoutAClockSleeps) {
  const auto simulate_time = [] {
    setenv("LEAT_TEST_SIMULATES_TIME", "1", /*overwrite=*/1);
  };
  const auto sleep = [&] {
    simulate_time();
    TestClock().Sleep(hours(1));
  };
  EXPECT_DEATH(sleep(), "it has no SimulatedClock");
  const auto wait = [&] {
    simulate_time();
    Eventually([] { return true; });
  };
  EXPECT_DEATH(wait(), "it has no SimulatedClock");
}

}  // namespace
}  // namespace leat::simulated_clock_test
