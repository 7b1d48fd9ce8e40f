// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/threads/parallel_for.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace leat::parallel_for_concurrency_test {
namespace {

// This is the cost of one element. It is so large that every range is split.
constexpr int64_t kExpensive = 1'000'000;

std::unique_ptr<WorkQueue> NewQueue(int threads) {
  return threads == 0 ? NewInlineQueue() : NewThreadPool("test", threads);
}

// The parameter is the number of threads; 0 stands for the inline queue.
class ParallelForTest : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<WorkQueue> queue_ = NewQueue(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Threads, ParallelForTest,
                         ::testing::Values(0, 1, 2, 3, 8));

TEST_P(ParallelForTest, CoversTheRangeExactlyOnce) {
  for (const int64_t total : {0, 1, 2, 3, 7, 31, 32, 33, 1000}) {
    for (const int64_t cost : {int64_t{0}, int64_t{1}, kExpensive, INT64_MAX}) {
      std::vector<std::atomic<int>> visits(total);
      ParallelFor(*queue_, total, cost, [&](int64_t begin, int64_t end) {
        ASSERT_LE(0, begin);
        ASSERT_LT(begin, end);
        ASSERT_LE(end, total);
        for (int64_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& count : visits) ASSERT_EQ(count, 1);
    }
  }
}

TEST_P(ParallelForTest, HugeRangesDoNotOverflow) {
  std::atomic<int64_t> items = 0;
  ParallelFor(*queue_, INT64_MAX, kExpensive, [&](int64_t begin, int64_t end) {
    ASSERT_LT(begin, end);
    items += end - begin;
  });
  EXPECT_EQ(items, INT64_MAX);
}

TEST_P(ParallelForTest, NegativeTotalsAreEmpty) {
  ParallelFor(*queue_, -1, 1, [](int64_t, int64_t) { ADD_FAILURE(); });
  ParallelChunks(*queue_, -1, [](int) { ADD_FAILURE(); });
  ParallelChunks(*queue_, 0, [](int) { ADD_FAILURE(); });
}

TEST_P(ParallelForTest, CheapRangesRunInOnePieceOnTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  int calls = 0;
  ParallelFor(*queue_, 100, 1, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
    EXPECT_EQ(std::this_thread::get_id(), caller);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST_P(ParallelForTest, ChunksRunOnceEachHoweverCheap) {
  for (const int num_chunks : {1, 2, 5, 100}) {
    std::vector<std::atomic<int>> visits(num_chunks);
    ParallelChunks(*queue_, num_chunks, [&](int chunk) { ++visits[chunk]; });
    for (const auto& count : visits) ASSERT_EQ(count, 1);
  }
}

TEST_P(ParallelForTest, WorksOnThreadsOfTheQueueAndNested) {
  std::atomic<int> runs = 0;
  WorkQueue& queue = *queue_;
  for (int task = 0; task < 20; ++task) {
    queue.Add([&] {
      ParallelChunks(queue, 10, [&](int) {
        ParallelChunks(queue, 10, [&](int) { ++runs; });
      });
    });
  }
  queue_.reset();
  EXPECT_EQ(runs, 2000);
}

TEST_P(ParallelForTest, ManyCallersShareTheQueue) {
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        int sums[7] = {};
        ParallelChunks(*queue_, 7, [&](int chunk) { sums[chunk] = chunk; });
        int sum = 0;
        for (const int value : sums) sum += value;
        ASSERT_EQ(sum, 21);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(ParallelForBusyTest, CallerDoesEverythingWhenAllWorkersAreBusy) {
  auto pool = NewThreadPool("test", 2);
  std::atomic<bool> release = false;
  std::atomic<int> blocked = 0;
  for (int i = 0; i < 2; ++i) {
    pool->Add([&] {
      ++blocked;
      release.wait(false);
    });
  }
  while (blocked < 2) std::this_thread::yield();
  {
    // `visits` is destroyed before the busy threads of the pool can help, so
    // these threads must not access it.
    std::vector<int> visits(8);
    ParallelChunks(*pool, 8, [&](int chunk) { ++visits[chunk]; });
    EXPECT_EQ(visits, std::vector<int>(8, 1));
  }
  release = true;
  release.notify_all();
  pool.reset();
}

TEST(ParallelForBusyTest, WorkersTakePart) {
  const auto pool = NewThreadPool("test", 2);
  std::atomic<int> inside = 0;
  // The loop ends only when two threads run a chunk at the same time.
  ParallelChunks(*pool, 2, [&](int) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 2);
}

TEST(ParallelForBusyTest, ReturnsOnlyAfterTheLastChunkHasEnded) {
  const auto pool = NewThreadPool("test", 4);
  for (int round = 0; round < 300; ++round) {
    // The values are written without atomics, so TSan reports a race if
    // ParallelChunks returns before a chunk has ended.
    std::vector<int> values(16);
    ParallelChunks(*pool, 16, [&](int chunk) {
      if (chunk % 5 == round % 5) std::this_thread::yield();
      values[chunk] = round;
    });
    ASSERT_EQ(values, std::vector<int>(16, round));
  }
}

}  // namespace
}  // namespace leat::parallel_for_concurrency_test
