// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/host_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/pool_allocator.h"

namespace leat::host_memory_test {
namespace {

TEST(HostMemoryTest, IsNoMoreThanTheMachineHas) {
  const int64_t physical =
      int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  EXPECT_GT(HostMemoryBytes(), 0);
  EXPECT_LE(HostMemoryBytes(), physical);
}

TEST(HostMemoryTest, HasSharesThatLeaveATenth) {
  EXPECT_GT(DefaultTransportBytes(), 0);
  EXPECT_LE(DefaultTransportBytes(), int64_t{4} << 30);
  EXPECT_LE(DefaultDeviceBytes() + DefaultTransportBytes(),
            HostMemoryBytes() / 10 * 9);
}

// Limits the address space to the bytes that are in use plus `more` bytes.
class ScopedAddressLimit {
 public:
  explicit ScopedAddressLimit(int64_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::ifstream file("/proc/self/statm");
    int64_t pages = 0;
    file >> pages;
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + more);
    EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  }
  ~ScopedAddressLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_ = {};
};

TEST(HostMemoryTest, KnowsTheLimitOfTheAddressSpace) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  EXPECT_TRUE(HasFreeMemory(8 * kMiB));
  EXPECT_EQ(CheckMemoryToStart(1), absl::OkStatus());
  PoolAllocator allocator;
  const ScopedAddressLimit limit(400 * kMiB);
  EXPECT_LE(FreeMemoryBytes(), 400 * kMiB);
  EXPECT_GT(FreeMemoryBytes(), 300 * kMiB);
  EXPECT_TRUE(HasFreeMemory(8 * kMiB));
  EXPECT_FALSE(HasFreeMemory(400 * kMiB));
  EXPECT_EQ(allocator.Allocate(400 * kMiB), nullptr);
  // The system has enough memory for this buffer, but nothing would be left. So
  // the allocator refuses it.
  EXPECT_EQ(allocator.Allocate(383 * kMiB), nullptr);
  const absl::Status status = CheckMemoryToStart(4096);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              ::testing::MatchesRegex(
                  "this process may use [0-9]+ bytes of memory, of which "
                  "[0-9]+ are free, but a task needs [0-9]+: set the limit to "
                  "at least [0-9]+ .ulimit -v [0-9]+."));
}

TEST(HostMemoryTest, IsSharedByDevicesUnlessTheirOptionsTell) {
  auto set = DeviceSet::Create({.num_cpus = 2, .num_threads = 1});
  ASSERT_TRUE(set.ok()) << set.status();
  for (const auto& device : (*set)->devices()) {
    EXPECT_EQ(device->info().memory_bytes, DefaultDeviceBytes() / 2);
    EXPECT_EQ(device->allocator().Allocate(
                  static_cast<size_t>(device->info().memory_bytes) + 1),
              nullptr);
  }
  auto small = DeviceSet::Create({.num_threads = 1, .cpu_memory_bytes = 5000});
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ((*small)->devices()[0]->info().memory_bytes, 5000);
  EXPECT_EQ((*small)->devices()[0]->allocator().Allocate(6000), nullptr);
  EXPECT_EQ(DeviceSet::Create({.cpu_memory_bytes = -1}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(HostMemoryTest, ReservationsAddUp) {
  const int64_t most = FreeMemoryBytes() / 4 * 3;
  auto first = MemoryReservation::Take(most, "a test");
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::Status second = MemoryReservation::Take(most, "a test").status();
  EXPECT_EQ(second.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(second.message()),
              ::testing::HasSubstr("a test needs about"));
  *first = MemoryReservation();
  EXPECT_EQ(MemoryReservation::Take(most, "a test").status(), absl::OkStatus());
}

}  // namespace
}  // namespace leat::host_memory_test
