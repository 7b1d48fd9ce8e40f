// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/stream_allocator.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/runtime/cuda/gpu_under_test.h"
#include "leat/tests/runtime/cuda/random_program.h"
#include "leat/tests/testing/fake_cuda.h"

namespace leat::stream_allocator_test {
namespace {

using ::leat::testing::AllAre;
using ::leat::testing::FakeCuda;
using ::leat::testing::GpuUnderTest;
using ::testing::HasSubstr;
using Call = FakeCuda::Call;

TEST(StreamAllocatorTest, BuffersLieOnTheGpu) {
  GpuUnderTest gpu({.num_gpus = 2}, {.ordinals = {1}});
  const Tensor tensor = gpu.OnGpu(10);
  EXPECT_TRUE(tensor.IsOnGpu());
  EXPECT_EQ(tensor.buffer()->memory(), (Memory{MemoryKind::kDevice, 1}));
  EXPECT_EQ(tensor.DebugString(), "float[10] in gpu:1");
  EXPECT_EQ(gpu.device().allocator().name(), "GPU:0");
}

TEST(StreamAllocatorTest, AFreedBlockIsHandedOutAtOnce) {
  GpuUnderTest gpu({.has_thread = false});
  Tensor x = gpu.OnGpu(1000);
  const char* const address = x.raw_data();
  const auto bytes = static_cast<size_t>(x.num_bytes());
  ASSERT_TRUE(gpu.stream().Fill(x.mutable_raw_data(), 0, bytes).ok());
  const Tensor result = gpu.Pinned(1000);
  gpu.Add(x, 1, x);
  gpu.stream().CopyToHost(x, result, nullptr);
  x.Reset();
  Tensor y = gpu.OnGpu(1000);
  EXPECT_EQ(y.raw_data(), address);
  ASSERT_TRUE(gpu.stream().Fill(y.mutable_raw_data(), 0, bytes).ok());
  ASSERT_TRUE(gpu.Drain().ok());
  EXPECT_TRUE(AllAre(result, 1));
}

TEST(StreamAllocatorTest, CopiesBytesInTheOrderOfTheStream) {
  GpuUnderTest gpu({.has_thread = false});
  Tensor x = gpu.OnGpu(100);
  Tensor y = gpu.OnGpu(100);
  const auto bytes = static_cast<size_t>(x.num_bytes());
  ASSERT_TRUE(gpu.stream().Fill(x.mutable_raw_data(), 0, bytes).ok());
  gpu.Add(x, 1, x);
  gpu.device().allocator().CopyBytes(y.mutable_raw_data(), x.raw_data(), bytes);
  gpu.device().allocator().CopyBytes(y.mutable_raw_data(), x.raw_data(), 0);
  gpu.Add(x, 1, x);
  const Tensor result = gpu.Pinned(100);
  gpu.stream().CopyToHost(y, result, nullptr);
  ASSERT_TRUE(gpu.Drain().ok());
  EXPECT_TRUE(AllAre(result, 1));
}

TEST(StreamAllocatorTest, AFullGpuFailsOneRequest) {
  GpuUnderTest gpu({}, {.memory_bytes = 1 << 20});
  const Tensor most = gpu.OnGpu(200'000);
  const auto refused =
      Tensor::Allocate(gpu.device().allocator(), DType::kFloat, Shape{100'000});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("GPU:0"));
  EXPECT_THAT(gpu.device().allocator().Describe(),
              HasSubstr("800000 bytes of at most 1048576 are in use"));
  EXPECT_TRUE(gpu.OnGpu(10'000).IsValid());
  EXPECT_TRUE(gpu.Drain().ok());
}

// CUDA may refuse a request for memory, because another process has taken the
// memory.
TEST(StreamAllocatorTest, AskCudaForLessIfItRefuses) {
  GpuUnderTest gpu;
  gpu.cuda().Fail(Call::kNewMemory, FakeCuda::kOutOfMemory, 3);
  EXPECT_TRUE(gpu.OnGpu(100).IsValid());
  const AllocatorStats stats = gpu.device().allocator().stats();
  EXPECT_EQ(stats.system_requests, 4);
  EXPECT_LE(stats.kept_bytes, gpu.device().info().memory_bytes / 8);
}

TEST(StreamAllocatorTest, GivesBackWhatIsNotNeeded) {
  GpuUnderTest gpu({}, {.allow_growth = true});
  gpu.OnGpu(100);
  EXPECT_EQ(gpu.device().allocator().GiveBackUnused(), 0);
  EXPECT_GT(gpu.device().allocator().GiveBackUnused(), 0);
  EXPECT_EQ(gpu.device().allocator().stats().kept_bytes, 0);
}

TEST(StreamAllocatorTest, ALostGpuKeepsItsMemory) {
  GpuUnderTest gpu({}, {.allow_growth = true});
  const Tensor tensor = gpu.OnGpu(100);
  gpu.cuda().Lose(0);
  EXPECT_FALSE(gpu.stream().CheckLaunch().ok());
  EXPECT_EQ(gpu.device().allocator().Allocate(1), nullptr);
  gpu.device().allocator().CopyBytes(nullptr, nullptr, 100);
}

}  // namespace
}  // namespace leat::stream_allocator_test
