// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/work_queue.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace leat::work_queue_concurrency_test {
namespace {

class ThreadPoolTest : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<WorkQueue> pool_ = NewThreadPool("test", GetParam());
};

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, ::testing::Values(1, 2, 8));

TEST_P(ThreadPoolTest, RunsEveryClosureOnce) {
  std::vector<std::atomic<int>> runs(10'000);
  for (auto& count : runs) pool_->Add([&count] { ++count; });
  pool_.reset();
  for (const auto& count : runs) ASSERT_EQ(count, 1);
}

// When a closure has run, the pool may be destroyed, even if the call of Add
// for this closure has not returned yet.
TEST_P(ThreadPoolTest, EndsBehindEveryAdd) {
  for (int i = 0; i < 200; ++i) {
    auto pool = NewThreadPool("test", GetParam());
    WorkQueue& queue = *pool;
    std::atomic<bool> has_run = false;
    std::thread adds([&] { queue.Add([&has_run] { has_run = true; }); });
    while (!has_run) std::this_thread::yield();
    pool.reset();
    adds.join();
  }
}

TEST_P(ThreadPoolTest, RunsClosuresThatClosuresAdd) {
  std::atomic<int> runs = 0;
  WorkQueue& pool = *pool_;
  for (int i = 0; i < 50; ++i) {
    pool.Add([&] {
      for (int j = 0; j < 50; ++j) {
        pool.Add([&] { pool.Add([&runs] { ++runs; }); });
      }
    });
  }
  pool_.reset();
  EXPECT_EQ(runs, 2500);
}

TEST_P(ThreadPoolTest, RunsClosuresOfManyThreads) {
  std::atomic<int> runs = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) pool_->Add([&runs] { ++runs; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  pool_.reset();
  EXPECT_EQ(runs, 8000);
}

// A single closure must wake a worker, whatever the worker was doing just
// before.
TEST_P(ThreadPoolTest, WakesForSingleClosuresAfterPausesOfAnyLength) {
  for (int i = 0; i < 400; ++i) {
    std::atomic<bool> done = false;
    pool_->Add([&done] {
      done = true;
      done.notify_one();
    });
    done.wait(false);
    // The longest pause takes about ten microseconds.
    for (volatile int left = 500 * (i % 40); left > 0;) left = left - 1;
  }
}

TEST_P(ThreadPoolTest, KnowsItsThreads) {
  EXPECT_EQ(pool_->num_threads(), GetParam());
  EXPECT_FALSE(pool_->IsWorkerThread());
  const auto other = NewThreadPool("other", 1);
  std::atomic<int> checked = 0;
  WorkQueue& pool = *pool_;
  pool.Add([&] {
    EXPECT_TRUE(pool.IsWorkerThread());
    EXPECT_FALSE(other->IsWorkerThread());
    ++checked;
  });
  pool_.reset();
  EXPECT_EQ(checked, 1);
}

TEST_P(ThreadPoolTest, DestroysAClosureRightAfterItRan) {
  auto owned = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = owned;
  std::atomic<bool> ran = false;
  pool_->Add([owned = std::move(owned), &ran] { ran = true; });
  while (!ran || !watch.expired()) std::this_thread::yield();
}

TEST(NewThreadPoolTest, NamesItsThreads) {
  std::mutex mutex;
  std::set<std::string> names;
  std::atomic<int> arrived = 0;
  auto pool = NewThreadPool("compute", 2);
  for (int i = 0; i < 2; ++i) {
    pool->Add([&] {
      char name[32];
      pthread_getname_np(pthread_self(), name, sizeof(name));
      {
        std::lock_guard<std::mutex> lock(mutex);
        names.insert(name);
      }
      // Each closure waits for the other one, so the two run on different
      // threads.
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
  }
  pool.reset();
  EXPECT_EQ(names, (std::set<std::string>{"compute-0", "compute-1"}));
}

TEST(NewThreadPoolTest, UsesAllThreadsForClosuresOfOneWorker) {
  auto pool = NewThreadPool("test", 4);
  std::atomic<int> arrived = 0;
  WorkQueue& queue = *pool;
  queue.Add([&] {
    for (int i = 0; i < 4; ++i) {
      queue.Add([&arrived] {
        ++arrived;
        while (arrived < 4) std::this_thread::yield();
      });
    }
  });
  // The test waits before it destroys the pool, because the destructor wakes
  // all workers that sleep.
  while (arrived < 4) std::this_thread::yield();
  pool.reset();
  EXPECT_EQ(arrived, 4);
}

TEST(NewThreadPoolTest, OneThreadRunsClosuresInOrder) {
  auto pool = NewThreadPool("test", 1);
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) pool->Add([&order, i] { order.push_back(i); });
  pool.reset();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(NewThreadPoolTest, ManyPoolsComeAndGo) {
  std::atomic<int> runs = 0;
  for (int i = 0; i < 100; ++i) {
    const auto pool = NewThreadPool("brief", 1 + i % 3);
    if (i % 2 == 0) pool->Add([&runs] { ++runs; });
  }
  EXPECT_EQ(runs, 50);
}

TEST(InlineQueueTest, RunsClosuresOnTheCallersThreadInsideAdd) {
  const auto queue = NewInlineQueue();
  const std::thread::id caller = std::this_thread::get_id();
  bool ran = false;
  EXPECT_FALSE(queue->IsWorkerThread());
  queue->Add([&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_TRUE(queue->IsWorkerThread());
    ran = true;
  });
  EXPECT_TRUE(ran);
  EXPECT_FALSE(queue->IsWorkerThread());
  EXPECT_EQ(queue->num_threads(), 1);
}

void AddChain(WorkQueue& queue, int length, int* runs) {
  queue.Add([&queue, length, runs] {
    ++*runs;
    if (length > 1) AddChain(queue, length - 1, runs);
  });
}

TEST(InlineQueueTest, RunsLongChainsWithoutDeepStacks) {
  const auto queue = NewInlineQueue();
  int runs = 0;
  AddChain(*queue, 1'000'000, &runs);
  EXPECT_EQ(runs, 1'000'000);
}

TEST(InlineQueueTest, QueuesInsideEachOtherAreSeparate) {
  const auto outer = NewInlineQueue();
  const auto inner = NewInlineQueue();
  std::vector<int> order;
  outer->Add([&] {
    inner->Add([&] {
      outer->Add([&] { order.push_back(3); });
      order.push_back(1);
    });
    order.push_back(2);
  });
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace leat::work_queue_concurrency_test
