// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/timer_queue.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::timer_queue_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Advance;
using testing::Event;
using testing::Settle;
using testing::SimulatedClock;

Clock::time_point In(Clock::duration duration) {
  return Clock::now() + duration;
}

class TimerQueueTest : public ::testing::Test {
 protected:
  SimulatedClock clock_;
};

TEST_F(TimerQueueTest, CallsInTheOrderOfTimesThenOfRequests) {
  TimerQueue timers("test-timers");
  std::vector<int> order;
  // No callback runs before this thread waits.
  const auto add = [&](int at, int number) {
    timers.At(In(milliseconds(at)),
              [&order, number] { order.push_back(number); });
  };
  add(20, 4);
  add(10, 2);
  add(10, 3);
  add(-10, 0);
  add(30, 5);
  add(0, 1);
  Advance(milliseconds(30));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST_F(TimerQueueTest, CallsAtTheTime) {
  TimerQueue timers("test-timers");
  const Clock::time_point when = In(milliseconds(50));
  Clock::time_point called;
  timers.At(when, [&] { called = Clock::now(); });
  Advance(seconds(1));
  EXPECT_EQ(called, when);
}

TEST(TimerQueueInRealTimeTest, CallsNotBeforeTheTime) {
  TimerQueue timers("test-timers");
  const Clock::time_point when = In(milliseconds(50));
  Event ran;
  timers.At(when, [&ran] { ran.Set(); });
  ASSERT_TRUE(ran.Wait());
  EXPECT_GE(Clock::now(), when);
}

// The thread already sleeps until the far time when the near callback is added.
TEST_F(TimerQueueTest, AnEarlierOneGoesFirst) {
  TimerQueue timers("test-timers");
  bool late = false, early = false;
  const TimerQueue::Id far = timers.At(In(seconds(600)), [&] { late = true; });
  Advance(milliseconds(50));
  timers.At(In(milliseconds(10)), [&] { early = true; });
  Advance(milliseconds(10));
  EXPECT_TRUE(early);
  EXPECT_FALSE(late);
  EXPECT_TRUE(timers.Cancel(far));
}

TEST_F(TimerQueueTest, ACancelledOneIsNotCalled) {
  TimerQueue timers("test-timers");
  const TimerQueue::Id id =
      timers.At(In(milliseconds(20)), [] { ADD_FAILURE(); });
  EXPECT_NE(id, 0u);
  EXPECT_TRUE(timers.Cancel(id));
  EXPECT_FALSE(timers.Cancel(id));
  EXPECT_FALSE(timers.Cancel(0));
  EXPECT_FALSE(timers.Cancel(id + 1000));
  Advance(milliseconds(30));
}

TEST_F(TimerQueueTest, CancelKnowsWhatRunsAndWhatRan) {
  TimerQueue timers("test-timers");
  Event runs, release;
  const TimerQueue::Id id = timers.At(Clock::now(), [&] {
    runs.Set();
    ASSERT_TRUE(release.Wait());
  });
  ASSERT_TRUE(runs.Wait());
  EXPECT_FALSE(timers.Cancel(id));
  release.Set();
  Settle();
  EXPECT_FALSE(timers.Cancel(id));
}

TEST_F(TimerQueueTest, CallbacksMayCallAtAndCancel) {
  TimerQueue timers("test-timers");
  const TimerQueue::Id other =
      timers.At(In(seconds(600)), [] { ADD_FAILURE(); });
  Event inner;
  std::atomic<TimerQueue::Id> own = 0;
  Event told;
  own = timers.At(Clock::now(), [&] {
    ASSERT_TRUE(told.Wait());
    EXPECT_FALSE(timers.Cancel(own));
    EXPECT_TRUE(timers.Cancel(other));
    timers.At(Clock::now(), [&] { inner.Set(); });
  });
  told.Set();
  ASSERT_TRUE(inner.Wait());
}

// Each callback calls At for the next one, like a heartbeat.
TEST_F(TimerQueueTest, ACallbackMayAskForItselfAgain) {
  struct Heart {
    std::atomic<int> beats = 0;
    Event enough;
    TimerQueue timers{"test-timers"};
    void Beat() {
      if (++beats == 100) return enough.Set();
      timers.At(Clock::now(), [this] { Beat(); });
    }
  };
  Heart heart;
  heart.Beat();
  heart.enough.Wait();
  EXPECT_EQ(heart.beats, 100);
}

TEST_F(TimerQueueTest, DestructionForgetsWhatHasNotBegun) {
  auto owned = std::make_shared<int>(1);
  {
    TimerQueue timers("test-timers");
    timers.At(In(seconds(600)), [owned] { ADD_FAILURE(); });
    EXPECT_EQ(owned.use_count(), 2);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(TimerQueueTest, DestructionWaitsForWhatRuns) {
  std::atomic<bool> finished = false;
  auto timers = std::make_unique<TimerQueue>("test-timers");
  Event runs;
  timers->At(Clock::now(), [&, queue = timers.get()] {
    runs.Set();
    SleepFor(milliseconds(50));
    // The queue is being destroyed: it drops the new callback, and `id + 1` was
    // never an id.
    const TimerQueue::Id id =
        queue->At(In(seconds(600)), [] { ADD_FAILURE(); });
    queue->Cancel(id + 1);
    finished = true;
  });
  ASSERT_TRUE(runs.Wait());
  timers.reset();
  EXPECT_TRUE(finished);
}

TEST_F(TimerQueueTest, CancelFreesOutsideTheLock) {
  TimerQueue timers("test-timers");
  // The callback owns this value. Its deleter calls the queue, so the test
  // deadlocks if callbacks are destroyed under the lock.
  std::shared_ptr<int> owned(new int, [&](int* value) {
    delete value;
    timers.Cancel(timers.At(In(seconds(600)), [] {}));
  });
  const TimerQueue::Id id =
      timers.At(In(seconds(600)), [owned = std::move(owned)] {});
  EXPECT_TRUE(timers.Cancel(id));
}

TEST_F(TimerQueueTest, ManyRunXorAreCancelled) {
  constexpr int kThreads = 4, kEach = 2000;
  std::atomic<int> ran = 0, cancelled = 0;
  {
    TimerQueue timers("test-timers");
    std::vector<Thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::minstd_rand random(static_cast<unsigned>(t) + 1);
        std::vector<TimerQueue::Id> ids;
        for (int i = 0; i < kEach; ++i) {
          ids.push_back(
              timers.At(In(std::chrono::microseconds(random() % 20'000)),
                        [&] { ++ran; }));
          if (i % 2 == 0 && timers.Cancel(ids[random() % ids.size()])) {
            ++cancelled;
          }
        }
      });
    }
    threads.clear();
    Advance(milliseconds(20));
  }
  EXPECT_EQ(ran + cancelled, kThreads * kEach);
  EXPECT_GT(cancelled, 0);
}

}  // namespace
}  // namespace leat::timer_queue_test
