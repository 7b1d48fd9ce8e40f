// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/server/memory_sweeper.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "gtest/gtest.h"
#include "leat/core/devices/device.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/host_memory.h"
#include "leat/tests/testing/simulated_clock.h"

namespace leat::memory_sweeper_test {
namespace {

using std::chrono::seconds;
using testing::SimulatedClock;

class MemorySweeperTest : public ::testing::Test {
 protected:
  Allocator& allocator() { return devices_->devices()[0]->allocator(); }
  int64_t kept_bytes() { return allocator().stats().kept_bytes; }

  SimulatedClock clock_;
  const std::unique_ptr<DeviceSet> devices_ =
      DeviceSet::Create({.num_threads = 1}).value();
};

TEST_F(MemorySweeperTest, GivesBackWhatWasUnusedForAnInterval) {
  const MemorySweeper sweeper(*devices_, seconds(10), clock_);
  clock_.Advance(seconds(1));
  allocator().Allocate(30 << 20);
  const int64_t kept = kept_bytes();
  EXPECT_GE(kept, 30 << 20);
  clock_.Advance(seconds(10));  // The block was used in this interval.
  EXPECT_EQ(kept_bytes(), kept);
  clock_.Advance(seconds(10));
  EXPECT_EQ(kept_bytes(), 0);
  EXPECT_GE(sweeper.given_back_bytes(), kept);
}

TEST_F(MemorySweeperTest, GivesBackFreePagesOfMalloc) {
  constexpr size_t kBytes = 200 << 20;
  void* volatile memory = malloc(kBytes);
  free(memory);
  if (FreeHeapBytes() < int64_t{kBytes}) {
    GTEST_SKIP() << "this malloc does not report its free pages";
  }
  const MemorySweeper sweeper(*devices_, seconds(10), clock_);
  clock_.Advance(seconds(20));
  EXPECT_LT(FreeHeapBytes(), int64_t{kBytes} / 2);
  EXPECT_GE(sweeper.given_back_bytes(), int64_t{kBytes} / 2);
}

TEST_F(MemorySweeperTest, LeavesASteadyStepItsMemory) {
  const MemorySweeper sweeper(*devices_, seconds(10), clock_);
  allocator().Allocate(30 << 20);
  const int64_t requests = allocator().stats().system_requests;
  for (int i = 0; i < 20; ++i) {
    clock_.Advance(seconds(4));
    allocator().Allocate(30 << 20);
  }
  EXPECT_EQ(allocator().stats().system_requests, requests);
}

}  // namespace
}  // namespace leat::memory_sweeper_test
