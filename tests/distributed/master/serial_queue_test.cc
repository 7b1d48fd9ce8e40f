// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/serial_queue.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/threads/work_queue.h"
#include "leat/tests/testing/held_queue.h"

namespace leat::serial_queue_test {
namespace {

using ::leat::testing::HeldQueue;

TEST(SerialQueueTest, OnlyOneOfItsTasksIsEverInTheQueue) {
  HeldQueue held;
  SerialQueue queue(held, 10);
  std::vector<int> ran;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(queue.Add([i, &ran] { ran.push_back(i); }));
  }
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(held.size(), 1u);
    held.RunOne();
    EXPECT_EQ(ran.size(), static_cast<size_t>(i) + 1);
  }
  EXPECT_EQ(held.size(), 0u);
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(queue.Add([] {}));
  EXPECT_EQ(held.size(), 1u);
}

// Closures of other queues must get a turn between two closures of this queue.
TEST(SerialQueueTest, GivesTheThreadBackBetweenClosures) {
  HeldQueue held;
  SerialQueue queue(held, 10);
  std::vector<char> ran;
  EXPECT_TRUE(queue.Add([&ran] { ran.push_back('a'); }));
  EXPECT_TRUE(queue.Add([&ran] { ran.push_back('b'); }));
  held.Add([&ran] { ran.push_back('x'); });
  while (held.size() > 0) held.RunOne();
  EXPECT_EQ(ran, (std::vector<char>{'a', 'x', 'b'}));
}

TEST(SerialQueueTest, RefusesWhatWouldWaitBeyondItsLimit) {
  HeldQueue held;
  SerialQueue queue(held, 2);
  int ran = 0;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.Add([&ran] { ++ran; }));
  EXPECT_FALSE(queue.Add([&ran] { ran += 100; }));
  held.RunOne();
  EXPECT_TRUE(queue.Add([&ran] { ++ran; }));
  while (held.size() > 0) held.RunOne();
  EXPECT_EQ(ran, 4);
}

TEST(SerialQueueTest, WhatATaskKeptGoesBeforeTheNextOneRuns) {
  HeldQueue held;
  SerialQueue queue(held, 2);
  auto kept = std::make_shared<int>();
  const std::weak_ptr<int> watched = kept;
  EXPECT_TRUE(queue.Add([kept] {}));
  bool was_gone = false;
  EXPECT_TRUE(queue.Add([&] { was_gone = watched.expired(); }));
  kept.reset();
  while (held.size() > 0) held.RunOne();
  EXPECT_TRUE(was_gone);
}

TEST(SerialQueueTest, MayGoBeforeItsTasks) {
  HeldQueue held;
  int ran = 0;
  {
    SerialQueue queue(held, 2);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.Add([&ran] { ++ran; }));
  }
  while (held.size() > 0) held.RunOne();
  EXPECT_EQ(ran, 3);
}

TEST(SerialQueueTest, RunsOneAtATimeOnManyThreads) {
  std::atomic<int> inside{0};
  int ran = 0;  // changed by one thread at a time
  bool alone = true;
  {
    std::unique_ptr<SerialQueue> serial;  // outlives the threads that add to it
    const auto pool = NewThreadPool("test-pool", 4);
    serial = std::make_unique<SerialQueue>(*pool, 10'000);
    SerialQueue& queue = *serial;
    for (int i = 0; i < 2000; ++i) {
      pool->Add([&] {
        EXPECT_TRUE(queue.Add([&] {
          alone = alone && inside.fetch_add(1) == 0;
          ++ran;
          inside.fetch_sub(1);
        }));
      });
    }
  }
  EXPECT_EQ(ran, 2000);
  EXPECT_TRUE(alone);
}

}  // namespace
}  // namespace leat::serial_queue_test
