// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/timer_queue.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::timer_queue_test {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::Event;
using testing::SimulatedClock;

TEST(TimerQueueTest, CallsInTheOrderOfTimesThenOfRequests) {
  SimulatedClock clock;
  TimerQueue timers("test-timers", clock);
  const Clock::time_point now = clock.Now();
  Event release;
  timers.At(now, [&] { release.Wait(); });
  clock.Settle();  // The thread is busy with the first callback.
  std::vector<int> order;
  const auto add = [&](int at, int number) {
    timers.At(now + milliseconds(at),
              [&order, number] { order.push_back(number); });
  };
  add(20, 4);
  add(10, 2);
  add(10, 3);
  add(-10, 0);
  add(30, 5);
  add(0, 1);
  release.Set();
  clock.Advance(milliseconds(30));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(TimerQueueTest, CallsAtTheTime) {
  SimulatedClock clock;
  TimerQueue timers("test-timers", clock);
  const Clock::time_point when = clock.After(milliseconds(50));
  Clock::time_point called;
  timers.At(when, [&] { called = clock.Now(); });
  clock.Advance(milliseconds(49));
  EXPECT_EQ(called, Clock::time_point());
  clock.Advance(milliseconds(10));
  EXPECT_EQ(called, when);
}

TEST(TimerQueueTest, TheRealClockIsTheDefault) {
  TimerQueue timers("test-timers");
  EXPECT_EQ(&timers.clock(), &RealClock());
  Event called;
  timers.At(RealClock().Now(), [&] { called.Set(); });
  ASSERT_TRUE(called.Wait());
}

// The queue's thread already sleeps until the far deadline when the callback
// with the near deadline is added.
TEST(TimerQueueTest, AnEarlierOneGoesFirst) {
  SimulatedClock clock;
  TimerQueue timers("test-timers", clock);
  const TimerQueue::Id far =
      timers.At(clock.After(hours(1)), [] { ADD_FAILURE(); });
  clock.Settle();
  bool near = false;
  timers.At(clock.After(milliseconds(10)), [&] { near = true; });
  clock.Advance(milliseconds(10));
  EXPECT_TRUE(near);
  EXPECT_TRUE(timers.Cancel(far));
}

TEST(TimerQueueTest, ACancelledOneIsNotCalled) {
  SimulatedClock clock;
  TimerQueue timers("test-timers", clock);
  const TimerQueue::Id id =
      timers.At(clock.After(milliseconds(20)), [] { ADD_FAILURE(); });
  EXPECT_NE(id, 0u);
  EXPECT_TRUE(timers.Cancel(id));
  EXPECT_FALSE(timers.Cancel(id));
  EXPECT_FALSE(timers.Cancel(0));
  EXPECT_FALSE(timers.Cancel(id + 1000));
  clock.Advance(milliseconds(30));
}

TEST(TimerQueueTest, CancelKnowsWhatRunsAndWhatRan) {
  SimulatedClock clock;
  TimerQueue timers("test-timers", clock);
  Event release;
  bool ran = false;
  const TimerQueue::Id id = timers.At(clock.Now(), [&] {
    release.Wait();
    ran = true;
  });
  clock.Settle();
  EXPECT_FALSE(timers.Cancel(id));
  EXPECT_FALSE(ran);
  release.Set();
  clock.Settle();
  EXPECT_FALSE(timers.Cancel(id));
  EXPECT_TRUE(ran);
}

TEST(TimerQueueTest, CallbacksMayCallAtAndCancel) {
  SimulatedClock clock;
  TimerQueue timers("test-timers", clock);
  const TimerQueue::Id other =
      timers.At(clock.After(hours(1)), [] { ADD_FAILURE(); });
  bool inner = false;
  TimerQueue::Id own = 0;
  own = timers.At(clock.After(milliseconds(1)), [&] {
    EXPECT_FALSE(timers.Cancel(own));
    EXPECT_TRUE(timers.Cancel(other));
    timers.At(clock.Now(), [&] { inner = true; });
  });
  clock.Advance(hours(2));
  EXPECT_TRUE(inner);
}

// Each callback calls At to schedule the next one, like a heartbeat.
TEST(TimerQueueTest, ACallbackMayAskForItselfAgain) {
  struct Heart {
    SimulatedClock clock;
    int beats = 0;
    TimerQueue timers{"test-timers", clock};
    void Beat() {
      ++beats;
      timers.At(clock.After(hours(1)), [this] { Beat(); });
    }
  };
  Heart heart;
  heart.Beat();
  heart.clock.Advance(hours(99));
  EXPECT_EQ(heart.beats, 100);
}

TEST(TimerQueueTest, DestructionForgetsWhatHasNotBegun) {
  SimulatedClock clock;
  auto owned = std::make_shared<int>(1);
  {
    TimerQueue timers("test-timers", clock);
    timers.At(clock.After(hours(1)), [owned] { ADD_FAILURE(); });
    EXPECT_EQ(owned.use_count(), 2);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(TimerQueueTest, DestructionWaitsForWhatRuns) {
  SimulatedClock clock;
  bool finished = false;
  auto timers = std::make_unique<TimerQueue>("test-timers", clock);
  timers->At(clock.Now(), [&, queue = timers.get()] {
    clock.Sleep(milliseconds(50));
    // The queue is being destroyed, so it drops the new callback. No callback
    // has the id `id + 1`.
    const TimerQueue::Id id =
        queue->At(clock.After(hours(1)), [] { ADD_FAILURE(); });
    queue->Cancel(id + 1);
    finished = true;
  });
  clock.Settle();
  EXPECT_FALSE(finished);
  timers.reset();
  EXPECT_TRUE(finished);
}

TEST(TimerQueueTest, CancelFreesOutsideTheLock) {
  SimulatedClock clock;
  TimerQueue timers("test-timers", clock);
  // The callback owns this value. The deleter of the value calls functions of
  // `timers`, and these functions lock its mutex. So the test deadlocks if
  // Cancel destroys the callback while it holds the mutex.
  std::shared_ptr<int> owned(new int, [&](int* value) {
    delete value;
    timers.Cancel(timers.At(clock.After(hours(1)), [] {}));
  });
  const TimerQueue::Id id =
      timers.At(clock.After(hours(1)), [owned = std::move(owned)] {});
  EXPECT_TRUE(timers.Cancel(id));
}

// Each thread lets time pass while the other threads run. So some callbacks run
// while threads add and cancel other callbacks.
TEST(TimerQueueTest, ManyRunXorAreCancelled) {
  constexpr int kThreads = 4, kEach = 2000;
  SimulatedClock clock;
  std::atomic<int> ran = 0, cancelled = 0;
  TimerQueue timers("test-timers", clock);
  std::vector<Thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back("adds", [&, t] {
      std::minstd_rand random(static_cast<unsigned>(t) + 1);
      std::vector<TimerQueue::Id> ids;
      for (int i = 0; i < kEach; ++i) {
        ids.push_back(timers.At(clock.After(milliseconds(random() % 20)),
                                [&] { ++ran; }));
        if (i % 2 == 0 && timers.Cancel(ids[random() % ids.size()])) {
          ++cancelled;
        }
        clock.Jump(microseconds(3));
        if (i % 100 == 0) clock.Sleep(milliseconds(1));
      }
    });
  }
  threads.clear();
  clock.Advance(milliseconds(20));
  EXPECT_EQ(ran + cancelled, kThreads * kEach);
  EXPECT_GT(ran, 0);
  EXPECT_GT(cancelled, 0);
}

}  // namespace
}  // namespace leat::timer_queue_test
