// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/region_heap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace leat::region_heap_test {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;

// Hands out regions in memory of the host. Checks that blocks lie in regions
// and do not overlap.
class TestRegions final : public RegionSource {
 public:
  // Records what the heap has taken from the source. Outlives the heap.
  struct Log {
    int64_t free_bytes = 1000 * kMiB;  // bytes that can be taken
    std::vector<size_t> taken;         // size of each region, in order
    std::map<char*, size_t> regions;   // regions not given back
    std::map<char*, size_t> blocks;
  };

  explicit TestRegions(std::shared_ptr<Log> log) : log_(std::move(log)) {}

  char* Take(size_t bytes) override {
    if (static_cast<int64_t>(bytes) > log_->free_bytes) return nullptr;
    log_->free_bytes -= static_cast<int64_t>(bytes);
    log_->taken.push_back(bytes);
    auto* const memory =
        static_cast<char*>(std::aligned_alloc(RegionHeap::kAlignment, bytes));
    log_->regions[memory] = bytes;
    return memory;
  }
  void Give(char* region) override {
    const auto found = log_->regions.find(region);
    ASSERT_NE(found, log_->regions.end());
    log_->free_bytes += static_cast<int64_t>(found->second);
    log_->regions.erase(found);
    std::free(region);
  }
  Memory memory() const override { return {MemoryKind::kDevice, 3}; }

  void Begin(char* block, size_t bytes) override {
    const auto region = std::prev(log_->regions.upper_bound(block));
    ASSERT_LE(block + bytes, region->first + region->second);
    const auto [place, is_new] = log_->blocks.emplace(block, bytes);
    ASSERT_TRUE(is_new);
    if (std::next(place) != log_->blocks.end()) {
      ASSERT_LE(block + bytes, std::next(place)->first);
    }
    if (place != log_->blocks.begin()) {
      ASSERT_LE(std::prev(place)->first + std::prev(place)->second, block);
    }
  }
  void End(char* block, size_t bytes) override {
    ASSERT_EQ(log_->blocks[block], bytes);
    log_->blocks.erase(block);
  }

 private:
  const std::shared_ptr<Log> log_;
};

struct TestHeap {
  explicit TestHeap(RegionHeapOptions options = {})
      : heap(RegionHeap::New(std::make_unique<TestRegions>(log), options)) {}

  const std::shared_ptr<TestRegions::Log> log =
      std::make_shared<TestRegions::Log>();
  std::shared_ptr<RegionHeap> heap;
};

TEST(RegionHeapTest, BlocksAreAlignedAndSayWhereTheyLie) {
  TestHeap test;
  for (const size_t bytes : {0, 1, 255, 256, 257, 100'000}) {
    const BufferRef block = test.heap->Allocate(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->size(), bytes);
    EXPECT_EQ(
        reinterpret_cast<uintptr_t>(block->data()) % RegionHeap::kAlignment,
        0u);
    EXPECT_EQ(block->memory(), (Memory{MemoryKind::kDevice, 3}));
  }
}

TEST(RegionHeapTest, TakesTheSmallestBlockThatIsLargeEnough) {
  TestHeap test;
  BufferRef large = test.heap->Allocate(3000);
  const BufferRef wall = test.heap->Allocate(1);
  BufferRef small = test.heap->Allocate(1000);
  const BufferRef second_wall = test.heap->Allocate(1);
  char* const address = small->data();
  large.reset();
  small.reset();
  EXPECT_EQ(test.heap->Allocate(900)->data(), address);
}

TEST(RegionHeapTest, JoinsFreeNeighbours) {
  // Frees three blocks in each possible order. Afterwards the whole region must
  // be one free block.
  std::vector<int> order = {0, 1, 2};
  do {
    TestHeap test({.limit_bytes = kMiB});
    std::vector<BufferRef> blocks;
    for (int i = 0; i < 3; ++i) {
      blocks.push_back(test.heap->Allocate(kMiB / 4));
    }
    for (const int i : order) blocks[i].reset();
    EXPECT_EQ(test.heap->heap_stats().largest_free, kMiB);
    EXPECT_NE(test.heap->Allocate(kMiB), nullptr);
    EXPECT_EQ(test.log->taken.size(), 1u);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(RegionHeapTest, RegionsGrow) {
  TestHeap test({.limit_bytes = 64 * kMiB});
  std::vector<BufferRef> blocks;
  for (int i = 0; i < 30; ++i) blocks.push_back(test.heap->Allocate(kMiB));
  EXPECT_THAT(test.log->taken,
              ::testing::ElementsAre(2 * kMiB, 4 * kMiB, 8 * kMiB, 16 * kMiB));
}

TEST(RegionHeapTest, OneRegionTakesEverythingIfItMay) {
  TestHeap test({.limit_bytes = 64 * kMiB, .first_region_bytes = 64 * kMiB});
  const BufferRef block = test.heap->Allocate(1);
  EXPECT_THAT(test.log->taken, ::testing::ElementsAre(64 * kMiB));
}

TEST(RegionHeapTest, TakesLessIfTheSourceHasLess) {
  TestHeap test({.limit_bytes = 64 * kMiB, .first_region_bytes = 64 * kMiB});
  test.log->free_bytes = 20 * kMiB;
  const BufferRef block = test.heap->Allocate(kMiB);
  EXPECT_NE(block, nullptr);
  EXPECT_THAT(test.log->taken, ::testing::ElementsAre(16 * kMiB));
  EXPECT_EQ(test.heap->Allocate(17 * kMiB), nullptr);
}

TEST(RegionHeapTest, NeverExceedsItsLimit) {
  TestHeap test({.limit_bytes = 10 * kMiB + 100});
  std::vector<BufferRef> blocks;
  for (;;) {
    BufferRef block = test.heap->Allocate(kMiB / 2);
    if (block == nullptr) break;
    blocks.push_back(std::move(block));
  }
  EXPECT_EQ(blocks.size(), 20u);
  EXPECT_EQ(test.heap->Allocate(size_t{1} << 63), nullptr);
  EXPECT_EQ(test.heap->Allocate(SIZE_MAX), nullptr);
  const AllocatorStats stats = test.heap->stats();
  EXPECT_EQ(stats.live_bytes, 10 * kMiB);
  EXPECT_EQ(stats.kept_bytes, 0);
  blocks.clear();
  EXPECT_EQ(test.heap->stats().kept_bytes, 10 * kMiB);
  EXPECT_EQ(test.heap->heap_stats().peak_live_bytes, 10 * kMiB);
  EXPECT_EQ(test.heap->heap_stats().largest_request, kMiB / 2);
}

// The heap gives back free regions that are too small, and takes one region
// that is large enough.
TEST(RegionHeapTest, MakesRoomForALargeBlock) {
  TestHeap test({.limit_bytes = 16 * kMiB});
  std::vector<BufferRef> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(test.heap->Allocate(kMiB));
  blocks.clear();
  EXPECT_NE(test.heap->Allocate(16 * kMiB), nullptr);
  EXPECT_EQ(test.log->regions.size(), 1u);
}

TEST(RegionHeapTest, GivesBackTheRegionsThatWereNotUsed) {
  TestHeap test;
  BufferRef first = test.heap->Allocate(2 * kMiB);
  BufferRef second = test.heap->Allocate(4 * kMiB);
  second.reset();
  EXPECT_EQ(test.heap->GiveBackUnused(), 0);  // was used since the last call
  EXPECT_EQ(test.heap->GiveBackUnused(), 4 * kMiB);
  first.reset();
  EXPECT_EQ(test.heap->GiveBackUnused(), 0);
  EXPECT_EQ(test.heap->GiveBackUnused(), 2 * kMiB);
  EXPECT_TRUE(test.log->regions.empty());
}

TEST(RegionHeapTest, BlocksOutliveTheHeap) {
  TestHeap test;
  BufferRef block = test.heap->Allocate(1000);
  test.heap.reset();
  std::memset(block->data(), 1, 1000);
  EXPECT_EQ(test.log->regions.size(), 1u);
  block.reset();
  EXPECT_TRUE(test.log->regions.empty());
}

TEST(RegionHeapTest, DescribesWhatTakesTheMemory) {
  TestHeap test({.limit_bytes = 2 * kMiB});
  std::vector<BufferRef> blocks;
  for (int i = 1; i <= 20; ++i) blocks.push_back(test.heap->Allocate(i * 256));
  blocks[17].reset();
  const std::string text = test.heap->Describe();
  EXPECT_THAT(text, HasSubstr("49152 bytes of at most 2097152 are in use in 19 "
                              "blocks, the largest of 5120, 4864, 4352, "));
  EXPECT_THAT(text, HasSubstr("2048000 bytes are free in 2 blocks, the largest "
                              "of 2043392"));
}

// Compares the numbers of bytes that the heap reports with the numbers that the
// test computes. TestRegions checks that no blocks overlap.
TEST(RegionHeapTest, RandomRequestsNeverOverlap) {
  for (uint64_t seed = 0; seed < 20 && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    TestHeap test({.limit_bytes = 4 * kMiB});
    std::vector<std::pair<BufferRef, char>> live;
    int64_t live_bytes = 0;
    const auto rounded = [](size_t bytes) {
      return static_cast<int64_t>(std::max<size_t>(bytes + 255, 256) / 256 *
                                  256);
    };
    for (int i = 0; i < 1000; ++i) {
      if (live.empty() || random() % 5 > 1) {
        const size_t bytes = random() % (size_t{1} << (random() % 18));
        BufferRef block = test.heap->Allocate(bytes);
        if (block == nullptr) continue;
        const char mark = static_cast<char>(i);
        std::memset(block->data(), mark, bytes);
        live_bytes += rounded(bytes);
        live.emplace_back(std::move(block), mark);
      } else {
        auto& [block, mark] = live[random() % live.size()];
        for (size_t k = 0; k < block->size(); k += 251) {
          ASSERT_EQ(block->data()[k], mark);
        }
        live_bytes -= rounded(block->size());
        std::swap(live.back().first, block);
        std::swap(live.back().second, mark);
        live.pop_back();
      }
      ASSERT_EQ(test.heap->stats().live_bytes, live_bytes);
      ASSERT_LE(test.heap->stats().live_bytes + test.heap->stats().kept_bytes,
                4 * kMiB);
    }
    live.clear();
    EXPECT_EQ(test.heap->stats().live_bytes, 0);
    EXPECT_NE(test.heap->Allocate(4 * kMiB), nullptr);
  }
}

TEST(RegionHeapTest, ThreadsNeverShareABlock) {
  TestHeap test;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&test, t] {
      std::vector<BufferRef> blocks(5);
      for (int i = 0; i < 1000; ++i) {
        const size_t bytes = 64 + (i * 37) % 4000;
        BufferRef& block = blocks[i % 5];
        for (size_t k = 0; block != nullptr && k < block->size(); k += 97) {
          ASSERT_EQ(block->data()[k], t);
        }
        block = test.heap->Allocate(bytes);
        std::memset(block->data(), t, bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(test.heap->stats().live_bytes, 0);
  EXPECT_EQ(test.heap->heap_stats().num_live, 0);
}

}  // namespace
}  // namespace leat::region_heap_test
