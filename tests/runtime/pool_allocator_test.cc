// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/pool_allocator.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace leat::pool_allocator_test {
namespace {

TEST(PoolAllocatorTest, AlignsEveryBuffer) {
  PoolAllocator pool;
  for (size_t bytes : {0, 1, 63, 64, 65, 192, 193, 1000, 1 << 20}) {
    const BufferRef buffer = pool.Allocate(bytes);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % kBufferAlignment,
              0u);
    EXPECT_EQ(buffer->size(), bytes);
    std::memset(buffer->data(), 0xab, bytes);
  }
}

TEST(PoolAllocatorTest, TakesNothingFromTheSystemForSizesThatWereFreed) {
  PoolAllocator pool;
  pool.Allocate(1000);
  pool.Allocate(100000);
  const int64_t before = pool.stats().system_requests;
  for (int i = 0; i < 100; ++i) {
    pool.Allocate(1000);
    pool.Allocate(100000);
  }
  EXPECT_EQ(pool.stats().system_requests, before);
}

TEST(PoolAllocatorTest, CountsLiveAndKeptBytes) {
  PoolAllocator pool;
  BufferRef buffer = pool.Allocate(5000);
  EXPECT_GE(pool.stats().live_bytes, 5000);
  EXPECT_EQ(pool.stats().kept_bytes, 0);
  buffer.reset();
  EXPECT_EQ(pool.stats().live_bytes, 0);
  EXPECT_GE(pool.stats().kept_bytes, 5000);
}

TEST(PoolAllocatorTest, GivesNullAboveItsLimitAndServesTheNextRequest) {
  PoolAllocator pool({.name = "small", .limit_bytes = 1 << 20});
  const BufferRef half = pool.Allocate(600 << 10);
  ASSERT_NE(half, nullptr);
  EXPECT_EQ(pool.Allocate(600 << 10), nullptr);
  EXPECT_EQ(pool.Allocate(SIZE_MAX), nullptr);
  EXPECT_NE(pool.Allocate(1000), nullptr);
}

TEST(PoolAllocatorTest, FreesWhatItKeepsToStayBelowItsLimit) {
  PoolAllocator pool({.name = "small", .limit_bytes = 1 << 20});
  pool.Allocate(600 << 10);
  EXPECT_NE(pool.Allocate(900 << 10), nullptr);
}

TEST(PoolAllocatorTest, ReservedBytesCountAsLongAsTheyAreReferredTo) {
  PoolAllocator pool({.name = "small", .limit_bytes = 1 << 20});
  BufferRef half = pool.Reserve(600 << 10);
  ASSERT_NE(half, nullptr);
  EXPECT_EQ(pool.stats().live_bytes, 600 << 10);
  EXPECT_EQ(pool.stats().system_requests, 0);
  EXPECT_EQ(pool.Reserve(600 << 10), nullptr);
  EXPECT_EQ(pool.Reserve(INT64_MAX), nullptr);
  EXPECT_EQ(pool.Allocate(600 << 10), nullptr);
  half.reset();
  EXPECT_EQ(pool.stats().live_bytes, 0);
  pool.Allocate(600 << 10);
  // The pool frees buffers that it keeps, to make room for the reservation.
  EXPECT_NE(pool.Reserve(900 << 10), nullptr);
}

TEST(PoolAllocatorTest, BuffersOutliveTheAllocator) {
  auto pool = std::make_unique<PoolAllocator>();
  BufferRef buffer = pool->Allocate(100);
  BufferRef reserved = pool->Reserve(100);
  pool.reset();
  std::memset(buffer->data(), 1, 100);
  buffer.reset();
  reserved.reset();
}

TEST(PoolAllocatorTest, ThreadsNeverShareABlock) {
  PoolAllocator pool;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 2000; ++i) {
        const size_t bytes = 64 + (i * 37) % 4000;
        const BufferRef buffer = pool.Allocate(bytes);
        std::memset(buffer->data(), t, bytes);
        for (size_t k = 0; k < bytes; k += 97) {
          ASSERT_EQ(buffer->data()[k], t);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.stats().live_bytes, 0);
}

TEST(PoolAllocatorTest, ThreadsFreeWhatOutlivesTheAllocator) {
  for (int round = 0; round < 50; ++round) {
    auto pool = std::make_unique<PoolAllocator>();
    std::vector<std::vector<BufferRef>> buffers(4);
    for (auto& list : buffers) {
      for (int i = 0; i < 50; ++i) list.push_back(pool->Allocate(i * 100));
    }
    pool.reset();
    std::vector<std::thread> threads;
    for (auto& list : buffers) {
      threads.emplace_back([&list] { list.clear(); });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(PoolAllocatorTest, StatsAreNeverNegativeWhileOthersAllocate) {
  PoolAllocator pool;
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (int i = 0; i < 20000; ++i) pool.Allocate(64 + i % 4000);
    done = true;
  });
  while (!done) {
    const AllocatorStats stats = pool.stats();
    ASSERT_GE(stats.live_bytes, 0);
    ASSERT_GE(stats.kept_bytes, 0);
  }
  other.join();
}

// Each buffer is larger than the previous one, as in steps with ever larger
// batches.
TEST(PoolAllocatorTest, GivesBackSizesThatNobodyAsksForAnyMore) {
  PoolAllocator pool;
  int64_t largest = 0;
  for (double bytes = 1 << 20; bytes < (64 << 20); bytes *= 1.25) {
    largest = static_cast<int64_t>(bytes);
    ASSERT_NE(pool.Allocate(static_cast<size_t>(largest)), nullptr);
  }
  EXPECT_LE(pool.stats().kept_bytes, 4 * largest);
}

// Two buffers are in use at the same time. The pool keeps both, even if buffers
// of other sizes are allocated later.
TEST(PoolAllocatorTest, KeepsTwiceWhatWasInUseAtOnce) {
  PoolAllocator pool;
  const auto use_both = [&pool] {
    const BufferRef first = pool.Allocate(4 << 20);
    const BufferRef second = pool.Allocate(6 << 20);
  };
  use_both();
  pool.Allocate(2 << 20);
  const int64_t before = pool.stats().system_requests;
  for (int i = 0; i < 10; ++i) {
    use_both();
    pool.Allocate(2 << 20);
  }
  EXPECT_EQ(pool.stats().system_requests, before);
}

TEST(PoolAllocatorTest, GivesBackWhatWasNotNeededSinceTheLastTime) {
  PoolAllocator pool;
  constexpr size_t kBytes = 3 << 20;  // the size of a mapped block
  for (const size_t bytes : {kBytes, size_t{5000}}) {
    const auto use = [&](int count) {
      std::vector<BufferRef> buffers;
      for (int i = 0; i < count; ++i) buffers.push_back(pool.Allocate(bytes));
    };
    use(3);
    EXPECT_EQ(pool.GiveBackUnused(), 0);  // all were in use
    const int64_t kept = pool.stats().kept_bytes;
    use(1);
    EXPECT_EQ(pool.GiveBackUnused(), kept / 3 * 2);
    EXPECT_EQ(pool.stats().kept_bytes, kept / 3);
    const int64_t before = pool.stats().system_requests;
    for (int i = 0; i < 3; ++i) {
      use(1);
      EXPECT_EQ(pool.GiveBackUnused(), 0);
    }
    EXPECT_EQ(pool.stats().system_requests, before);
    EXPECT_EQ(pool.GiveBackUnused(), kept / 3);
    EXPECT_EQ(pool.stats().kept_bytes, 0);
  }
}

}  // namespace
}  // namespace leat::pool_allocator_test
