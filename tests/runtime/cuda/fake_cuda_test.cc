// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that FakeCuda reports misuse of CUDA, and that it runs work in any
// order that CUDA allows.
#include "leat/tests/testing/fake_cuda.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace leat::fake_cuda_test {
namespace {

using ::leat::testing::FakeCuda;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Provides memory and streams, and frees them at the end.
class FakeCudaTest : public ::testing::Test {
 protected:
  ~FakeCudaTest() override {
    cuda_.RunAll();
    cuda_.FreeMemory(memory_).IgnoreError();
    cuda_.FreePinned(pinned_).IgnoreError();
    for (CudaStream stream : {one_, two_}) {
      cuda_.FreeStream(stream).IgnoreError();
    }
    cuda_.FreeEvent(event_).IgnoreError();
  }

  FakeCuda cuda_{{.has_thread = false}};
  char* const memory_ = *cuda_.NewMemory(1024);
  char* const pinned_ = *cuda_.NewPinned(1024);
  const CudaStream one_ = *cuda_.NewStream();
  const CudaStream two_ = *cuda_.NewStream();
  const CudaEvent event_ = *cuda_.NewEvent();
};

TEST_F(FakeCudaTest, FindsCopiesBeyondTheEnd) {
  EXPECT_FALSE(cuda_.CopyToDevice(one_, memory_ + 1, pinned_, 1024).ok());
  EXPECT_FALSE(cuda_.CopyToHost(one_, pinned_ + 1, memory_, 1024).ok());
  EXPECT_FALSE(cuda_.Fill(one_, memory_ + 1024, 0, 1).ok());
  EXPECT_FALSE(cuda_.CopyOnDevice(one_, pinned_, memory_, 1).ok());
  EXPECT_EQ(cuda_.TakeComplaints().size(), 4u);
}

TEST_F(FakeCudaTest, FindsCopiesFromOrdinaryMemory) {
  char ordinary[4] = {};
  EXPECT_FALSE(cuda_.CopyToDevice(one_, memory_, ordinary, 4).ok());
  EXPECT_THAT(cuda_.TakeComplaints(),
              ElementsAre("a copy uses memory of the host that is not pinned"));
}

TEST_F(FakeCudaTest, FindsPinnedMemoryThatIsFreedTooEarly) {
  char* const more = *cuda_.NewPinned(16);
  EXPECT_TRUE(cuda_.CopyToDevice(one_, memory_, more, 16).ok());
  EXPECT_TRUE(cuda_.FreePinned(more).ok());
  EXPECT_THAT(
      cuda_.TakeComplaints(),
      ::testing::Contains("pinned memory is freed that a copy will use"));
  cuda_.RunAll();
  EXPECT_EQ(cuda_.TakeComplaints().size(), 1u);
}

TEST_F(FakeCudaTest, FindsWorkOnBlocksThatAreNotInUse) {
  cuda_.BeginUse(one_, memory_, 256);
  EXPECT_TRUE(cuda_.Fill(one_, memory_, 1, 256).ok());
  cuda_.RunAll();
  EXPECT_THAT(cuda_.TakeComplaints(), IsEmpty());
  EXPECT_TRUE(cuda_.Fill(one_, memory_, 1, 257).ok());
  cuda_.EndUse(one_, memory_, 256);
  EXPECT_TRUE(cuda_.CopyToHost(one_, pinned_, memory_, 1).ok());
  cuda_.RunAll();
  EXPECT_THAT(cuda_.TakeComplaints(),
              ElementsAre("work uses a block that is not in use",
                          "work uses a block that is not in use"));
}

TEST_F(FakeCudaTest, FindsBlocksThatOverlap) {
  cuda_.BeginUse(one_, memory_, 512);
  cuda_.BeginUse(one_, memory_ + 256, 256);
  cuda_.RunAll();
  EXPECT_THAT(cuda_.TakeComplaints(),
              ElementsAre("a block overlaps one that is in use"));
}

TEST_F(FakeCudaTest, FindsStreamsAndEventsThatWereFreed) {
  const CudaStream stream = *cuda_.NewStream();
  const CudaEvent event = *cuda_.NewEvent();
  EXPECT_TRUE(cuda_.FreeStream(stream).ok());
  EXPECT_TRUE(cuda_.FreeEvent(event).ok());
  EXPECT_FALSE(cuda_.Fill(stream, memory_, 0, 1).ok());
  EXPECT_FALSE(cuda_.Record(event, one_).ok());
  EXPECT_FALSE(cuda_.IsPassed(nullptr).ok());
  EXPECT_THAT(cuda_.TakeComplaints(),
              ElementsAre("a stream is used that was freed",
                          "an event is used that was freed",
                          "an event is used that does not exist"));
}

TEST_F(FakeCudaTest, FindsMemoryThatIsFreedTwice) {
  EXPECT_FALSE(cuda_.FreeMemory(memory_ + 1).ok());
  EXPECT_FALSE(cuda_.FreePinned(memory_).ok());
  EXPECT_EQ(cuda_.TakeComplaints().size(), 2u);
}

TEST_F(FakeCudaTest, FindsLeaks) {
  std::optional<FakeCuda> cuda(std::in_place);
  char* const memory = *cuda->NewMemory(8);
  static_cast<void>(memory);
  EXPECT_NONFATAL_FAILURE(cuda.reset(), "8 bytes of a GPU were not freed");
}

TEST_F(FakeCudaTest, AWaitIsForWhereTheEventWas) {
  cuda_.SlowDown(0);
  EXPECT_TRUE(cuda_.Fill(one_, memory_, 0, 1).ok());
  EXPECT_TRUE(cuda_.RunOne());
  EXPECT_TRUE(cuda_.Record(event_, one_).ok());
  EXPECT_TRUE(cuda_.Wait(two_, event_).ok());
  EXPECT_TRUE(cuda_.Fill(one_, memory_, 1, 1).ok());
  EXPECT_TRUE(cuda_.Record(event_, one_).ok());
  EXPECT_TRUE(cuda_.CopyToHost(two_, pinned_, memory_, 1).ok());
  EXPECT_TRUE(cuda_.RunOne());  // the first record
  EXPECT_FALSE(*cuda_.IsPassed(event_));
  EXPECT_TRUE(cuda_.RunOne());  // the wait
  EXPECT_TRUE(cuda_.RunOne());  // the copy
  EXPECT_EQ(pinned_[0], 0);
  cuda_.RunAll();
  EXPECT_TRUE(*cuda_.IsPassed(event_));
}

// The event is recorded in stream one, then stream two waits for it, and then
// it is recorded again in stream three. Stream two waits for the first record,
// even if the second record runs earlier.
TEST_F(FakeCudaTest, AWaitIsForOneRecord) {
  cuda_.SlowDown(0);
  EXPECT_TRUE(cuda_.Record(event_, one_).ok());
  EXPECT_TRUE(cuda_.Wait(two_, event_).ok());
  const CudaStream three = *cuda_.NewStream();
  EXPECT_TRUE(cuda_.Record(event_, three).ok());
  EXPECT_TRUE(cuda_.RunOne());  // the second record
  EXPECT_TRUE(*cuda_.IsPassed(event_));
  EXPECT_TRUE(cuda_.RunOne());  // the first record
  EXPECT_TRUE(*cuda_.IsPassed(event_));
  EXPECT_TRUE(cuda_.RunOne());  // the wait
  EXPECT_FALSE(cuda_.RunOne());
  EXPECT_TRUE(cuda_.FreeStream(three).ok());
}

TEST_F(FakeCudaTest, RunsStreamsInRandomOrders) {
  std::vector<std::string> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    FakeCuda cuda({.seed = seed, .has_thread = false});
    std::string order;
    CudaStream streams[2];
    for (int i = 0; i < 2; ++i) {
      streams[i] = *cuda.NewStream();
      for (int k = 0; k < 3; ++k) {
        cuda::HostStream::Of(streams[i]).Add([&order, i] {
          order += static_cast<char>('a' + i);
        });
      }
    }
    cuda.RunAll();
    for (CudaStream stream : streams) EXPECT_TRUE(cuda.FreeStream(stream).ok());
    orders.push_back(order);
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  EXPECT_GT(orders.size(), 5u);
}

}  // namespace
}  // namespace leat::fake_cuda_test
