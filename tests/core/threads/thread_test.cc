// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/thread.h"

#include <pthread.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "gtest/gtest.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"

namespace leat::thread_test {
namespace {

TEST(ThreadTest, RunsItsBodyOnAnotherThread) {
  std::thread::id id;
  Thread thread("test", [&] { id = std::this_thread::get_id(); });
  thread.Join();
  EXPECT_NE(id, std::thread::id());
  EXPECT_NE(id, std::this_thread::get_id());
  thread.Join();
}

TEST(ThreadTest, HasTheNameAsFarAsItFits) {
  char name[32];
  Thread("a-name-of-more-than-15-letters", [&] {
    pthread_getname_np(pthread_self(), name, sizeof(name));
  }).Join();
  EXPECT_EQ(std::string(name), "a-name-of-more-");
}

TEST(ThreadTest, TheDestructorWaits) {
  bool ended = false;
  {
    const Thread thread("test", [&] {
      for (int i = 0; i < 100; ++i) std::this_thread::yield();
      ended = true;
    });
  }
  EXPECT_TRUE(ended);
}

TEST(ThreadTest, MovesAndJoinsWhatItReplaces) {
  int first = 0, second = 0;
  Thread thread;
  thread.Join();
  thread = Thread("first", [&] { first = 1; });
  Thread other = std::move(thread);
  other = Thread("second", [&] { second = 2; });
  EXPECT_EQ(first, 1);
  other.Join();
  EXPECT_EQ(second, 2);
}

TEST(ThreadTest, DestroysTheBodyBeforeJoinReturns) {
  auto owned = std::make_shared<int>(1);
  Thread thread("test", [owned] {});
  thread.Join();
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(RealClockTest, DoesNotGoBackNorWaitForWhatHasPassed) {
  Clock& clock = RealClock();
  const Clock::time_point before = clock.Now();
  {
    Mutex mutex;
    CondVar never;
    MutexLock lock(mutex);
    EXPECT_FALSE(clock.WaitUntil(never, mutex, before));
  }
  EXPECT_GE(clock.Now(), before);
}

TEST(RealClockTest, WaitsAndSleepsUntilTheTimeHasCome) {
  Clock& clock = RealClock();
  const Clock::time_point deadline = clock.After(std::chrono::microseconds(1));
  {
    Mutex mutex;
    CondVar never;
    MutexLock lock(mutex);
    while (clock.WaitUntil(never, mutex, deadline)) {
    }
  }
  EXPECT_GE(clock.Now(), deadline);
  const Clock::time_point end = clock.After(std::chrono::microseconds(1));
  clock.Sleep(std::chrono::microseconds(1));
  EXPECT_GE(clock.Now(), end);
}

TEST(RealClockTest, AfterSaturates) {
  EXPECT_EQ(RealClock().After(Clock::duration::max()),
            Clock::time_point::max());
  EXPECT_LT(RealClock().After(std::chrono::hours(1)), Clock::time_point::max());
  EXPECT_LT(RealClock().After(-std::chrono::hours(1)), RealClock().Now());
}

}  // namespace
}  // namespace leat::thread_test
