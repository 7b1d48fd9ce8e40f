// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/pinned_pool.h"

#include <cstring>
#include <memory>

#include "gtest/gtest.h"
#include "leat/tests/testing/fake_cuda.h"

namespace leat::pinned_pool_test {
namespace {

using ::leat::testing::FakeCuda;
using Call = FakeCuda::Call;

constexpr size_t kMiB = size_t{1} << 20;

struct TestPool {
  explicit TestPool(int64_t limit_bytes = 8 * kMiB)
      : pool(cuda, &HostAllocator(),
             {.name = "GPU:0 host", .limit_bytes = limit_bytes}) {}

  const std::shared_ptr<FakeCuda> cuda = std::make_shared<FakeCuda>();
  PinnedPool pool;
};

TEST(PinnedPoolTest, BuffersArePinned) {
  TestPool test;
  const BufferRef buffer = test.pool.Allocate(1000);
  EXPECT_EQ(buffer->memory(), (Memory{MemoryKind::kPinned, 0}));
  std::memset(buffer->data(), 1, 1000);
}

TEST(PinnedPoolTest, AsksCudaSeldom) {
  TestPool test;
  for (int i = 0; i < 100; ++i) test.pool.Allocate(100 + 5000 * i);
  EXPECT_EQ(test.cuda->count(Call::kNewPinned), 1);
}

TEST(PinnedPoolTest, GivesOrdinaryMemoryBeyondItsLimit) {
  TestPool test(4 * kMiB);
  BufferRef most = test.pool.Allocate(3 * kMiB);
  EXPECT_EQ(most->memory().kind, MemoryKind::kPinned);
  const BufferRef more = test.pool.Allocate(2 * kMiB);
  EXPECT_EQ(more->memory().kind, MemoryKind::kHost);
  std::memset(more->data(), 1, 2 * kMiB);
  EXPECT_EQ(test.pool.AllocatePinned(2 * kMiB), nullptr);
  most.reset();
  EXPECT_EQ(test.pool.Allocate(2 * kMiB)->memory().kind, MemoryKind::kPinned);
}

TEST(PinnedPoolTest, GivesOrdinaryMemoryIfTheSystemPinsNoMore) {
  TestPool test;
  test.cuda->Fail(Call::kNewPinned, FakeCuda::kOutOfMemory, 1000);
  EXPECT_EQ(test.pool.Allocate(100)->memory().kind, MemoryKind::kHost);
}

TEST(PinnedPoolTest, BuffersOutliveThePool) {
  auto test = std::make_unique<TestPool>();
  const std::shared_ptr<FakeCuda> cuda = test->cuda;
  const BufferRef buffer = test->pool.Allocate(1000);
  test.reset();
  std::memset(buffer->data(), 1, 1000);
}

TEST(PinnedPoolTest, GivesBackWhatIsNotNeeded) {
  TestPool test;
  test.pool.Allocate(1000);
  test.pool.GiveBackUnused();
  EXPECT_EQ(test.pool.GiveBackUnused(), int64_t{2 * kMiB});
}

}  // namespace
}  // namespace leat::pinned_pool_test
