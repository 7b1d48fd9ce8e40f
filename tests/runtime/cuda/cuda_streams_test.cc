// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/cuda_streams.h"

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/tests/runtime/cuda/gpu_under_test.h"
#include "leat/tests/runtime/cuda/random_program.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/fake_cuda.h"

namespace leat::cuda_streams_test {
namespace {

using ::leat::testing::AllAre;
using ::leat::testing::Event;
using ::leat::testing::FakeCuda;
using ::leat::testing::GpuUnderTest;
using ::leat::testing::RandomProgram;
using ::leat::testing::SetAll;
using ::testing::HasSubstr;
using Call = FakeCuda::Call;

// These sizes are numbers of elements.
constexpr int64_t kSmall = 1000;
constexpr int64_t kLarge = 20'000;             // uses a stream for copies
constexpr int64_t kSeveralPieces = 2'200'000;  // is copied in 3 pieces

TEST(CudaStreamsTest, CopiesThereAndBack) {
  GpuUnderTest gpu;
  for (const int64_t n : {int64_t{0}, int64_t{1}, kSmall, kLarge}) {
    for (const bool is_pinned : {false, true}) {
      Tensor from = is_pinned ? gpu.Pinned(n) : gpu.Ordinary(n);
      SetAll(from, 5);
      const Tensor there = gpu.OnGpu(n);
      ASSERT_TRUE(gpu.stream().CopyToDevice(from, there).ok());
      gpu.Add(there, 1, there);
      const Tensor back = is_pinned ? gpu.Pinned(n) : gpu.Ordinary(n);
      gpu.stream().CopyToHost(there, back, nullptr);
      ASSERT_TRUE(gpu.Drain().ok());
      EXPECT_TRUE(AllAre(back, 6));
    }
  }
}

TEST(CudaStreamsTest, CopiesAndFillsOnTheGpu) {
  GpuUnderTest gpu;
  const Tensor x = gpu.OnGpu(kSmall);
  const Tensor y = gpu.OnGpu(kSmall);
  const auto bytes = static_cast<size_t>(x.num_bytes());
  auto* const to = const_cast<char*>(y.raw_data());
  ASSERT_TRUE(
      gpu.stream().Fill(const_cast<char*>(x.raw_data()), 0, bytes).ok());
  gpu.Add(x, 3, x);
  ASSERT_TRUE(gpu.stream().CopyOnDevice(to, x.raw_data(), bytes).ok());
  ASSERT_TRUE(gpu.stream().CopyOnDevice(nullptr, nullptr, 0).ok());
  ASSERT_TRUE(gpu.stream().Fill(nullptr, 0, 0).ok());
  const Tensor back = gpu.Pinned(kSmall);
  gpu.stream().CopyToHost(y, back, nullptr);
  ASSERT_TRUE(gpu.Drain().ok());
  EXPECT_TRUE(AllAre(back, 3));
}

TEST(CudaStreamsTest, CopyToHostIsDoneWhenTheBytesAreThere) {
  GpuUnderTest gpu;
  for (const int64_t n : {int64_t{0}, kSmall, kLarge}) {
    for (const bool is_pinned : {false, true}) {
      const Tensor from = gpu.OnGpu(n);
      gpu.stream()
          .Fill(const_cast<char*>(from.raw_data()), 0,
                static_cast<size_t>(from.num_bytes()))
          .IgnoreError();
      gpu.Add(from, 7, from);
      const Tensor to = is_pinned ? gpu.Pinned(n) : gpu.Ordinary(n);
      Event done;
      gpu.stream().CopyToHost(from, to, [&](absl::Status status) {
        EXPECT_TRUE(status.ok());
        EXPECT_TRUE(AllAre(to, 7));
        EXPECT_TRUE(gpu.device().compute_queue().IsWorkerThread());
        done.Set();
      });
      ASSERT_TRUE(done.Wait());
    }
  }
}

// A tensor larger than kPiece is copied through two pinned buffers in turn.
TEST(CudaStreamsTest, CopiesLargeOrdinaryTensorsInPieces) {
  for (const uint64_t seed : {1, 2}) {
    GpuUnderTest gpu({.seed = seed, .has_thread = false});
    gpu.cuda().SlowDown(1);
    Tensor from = gpu.Ordinary(kSeveralPieces);
    for (int64_t i = 0; i < kSeveralPieces; ++i) {
      from.mutable_data<float>()[i] = static_cast<float>(i);
    }
    const Tensor there = gpu.OnGpu(kSeveralPieces);
    ASSERT_TRUE(gpu.stream().CopyToDevice(from, there).ok());
    SetAll(from, -1);  // CopyToDevice has read the bytes
    gpu.Add(there, 0.5f, there);
    const Tensor back = gpu.Ordinary(kSeveralPieces);
    gpu.stream().CopyToHost(there, back, nullptr);
    ASSERT_TRUE(gpu.Drain().ok());
    for (int64_t i = 0; i < kSeveralPieces; ++i) {
      ASSERT_EQ(back.data<float>()[i], static_cast<float>(i) + 0.5f);
    }
  }
}

TEST(CudaStreamsTest, CopiesWithoutPinnedMemoryInThePool) {
  GpuUnderTest gpu({}, {.pinned_bytes = 2 * int64_t{CudaStreams::kPiece}});
  Tensor from = gpu.Pinned(kLarge);
  EXPECT_EQ(from.buffer()->memory().kind, MemoryKind::kHost);
  SetAll(from, 2);
  const Tensor there = gpu.OnGpu(kLarge);
  ASSERT_TRUE(gpu.stream().CopyToDevice(from, there).ok());
  SetAll(from, 3);
  const Tensor back = gpu.Ordinary(kLarge);
  Event done;
  gpu.stream().CopyToHost(there, back, [&](absl::Status status) {
    EXPECT_TRUE(status.ok());
    done.Set();
  });
  ASSERT_TRUE(done.Wait());
  EXPECT_TRUE(AllAre(back, 2));
}

TEST(CudaStreamsTest, SmallCopiesTakeNoEvents) {
  GpuUnderTest gpu;
  const Tensor there = gpu.OnGpu(kSmall);
  Tensor from = gpu.Pinned(kSmall);
  SetAll(from, 1);
  const int64_t before = gpu.cuda().count(Call::kRecord);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(gpu.stream().CopyToDevice(from, there).ok());
    gpu.stream().CopyToHost(there, from, nullptr);
  }
  EXPECT_EQ(gpu.cuda().count(Call::kRecord), before);
  EXPECT_TRUE(gpu.Drain().ok());
}

// The buffers of small copies must be released even if nobody calls Drain.
TEST(CudaStreamsTest, ReleasesWhatSmallCopiesKeep) {
  GpuUnderTest gpu({}, {.pinned_bytes = int64_t{16} << 20});
  const Tensor there = gpu.OnGpu(kSmall);
  for (int i = 0; i < 10'000; ++i) {
    const Tensor from = gpu.Pinned(kSmall);
    ASSERT_TRUE(gpu.stream().CopyToDevice(from, there).ok());
  }
  EXPECT_LT(gpu.cuda().count(Call::kRecord), 1000);
  EXPECT_GT(gpu.cuda().count(Call::kRecord), 10);
  EXPECT_TRUE(gpu.Drain().ok());
}

// ---- Random programs ----

// Runs a RandomProgram. Each kernel of the program adds a number to the value
// that it reads.
void RunRandomProgram(
    GpuUnderTest& gpu, uint64_t seed, int num_steps,
    std::function<void()> between_steps = [] {}) {
  RandomProgram program(
      gpu.device(), seed,
      [&gpu, next = 0.0f](const Tensor& x, float value,
                          const Tensor& y) mutable {
        gpu.Add(x, ++next, y);
        return value + next;
      },
      [&gpu] { return gpu.Drain(); });
  for (int i = 0; i < num_steps; ++i) {
    program.Step();
    between_steps();
  }
  program.End();
}

TEST(CudaStreamsTest, RandomProgramsGiveTheRightValues) {
  for (uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    GpuUnderTest gpu(
        {.memory_bytes = 8 << 20, .seed = seed, .has_thread = false});
    gpu.cuda().SlowDown(static_cast<int>(seed % 4));
    std::mt19937_64 random(seed);
    RunRandomProgram(gpu, seed, 50, [&] {
      while (random() % 3 == 0 && gpu.cuda().RunOne()) {
      }
    });
  }
}

TEST(CudaStreamsTest, RandomProgramsOfSeveralThreadsGiveTheRightValues) {
  for (uint64_t seed = 0; seed < 5 && !HasFailure(); ++seed) {
    GpuUnderTest gpu({.seed = seed});
    gpu.cuda().SlowDown(static_cast<int>(seed % 4));
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 3; ++t) {
      threads.emplace_back(
          [&gpu, seed, t] { RunRandomProgram(gpu, 10 * seed + t, 100); });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

// ---- Errors ----

TEST(CudaStreamsTest, AnErrorOfACopyIsReturned) {
  GpuUnderTest gpu;
  const Tensor there = gpu.OnGpu(kSmall);
  const Tensor here = gpu.Pinned(kSmall);
  gpu.cuda().Fail(Call::kCopy, 1);
  const absl::Status status = gpu.stream().CopyToDevice(here, there);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/job:localhost/replica:0/task:0/device:GPU:0: "));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("cudaErrorInvalidValue"));
  // After the error, the device can still be used.
  EXPECT_TRUE(gpu.stream().CopyToDevice(here, there).ok());
  EXPECT_TRUE(gpu.Drain().ok());
}

TEST(CudaStreamsTest, TheNextDrainHasAnErrorThatNobodyElseHas) {
  GpuUnderTest gpu;
  const Tensor there = gpu.OnGpu(kSmall);
  const Tensor here = gpu.Pinned(kSmall);
  gpu.cuda().Fail(Call::kCopy, 1);
  gpu.stream().CopyToHost(there, here, nullptr);
  EXPECT_EQ(gpu.Drain().code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(gpu.Drain().ok());

  gpu.cuda().Fail(Call::kCopy, 1);
  gpu.device().allocator().CopyBytes(const_cast<char*>(there.raw_data()),
                                     there.raw_data(), 4);
  EXPECT_EQ(gpu.Drain().code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(gpu.Drain().ok());
}

TEST(CudaStreamsTest, AFailedCopyToHostIsDone) {
  for (const bool is_pinned : {false, true}) {
    for (const int64_t n : {kSmall, kLarge}) {
      GpuUnderTest gpu;
      const Tensor there = gpu.OnGpu(n);
      const Tensor here = is_pinned ? gpu.Pinned(n) : gpu.Ordinary(n);
      gpu.cuda().Fail(Call::kCopy, 1);
      Event done;
      gpu.stream().CopyToHost(there, here, [&](absl::Status status) {
        EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
        done.Set();
      });
      EXPECT_TRUE(done.Wait());
    }
  }
}

TEST(CudaStreamsTest, CheckLaunchReturnsTheErrorOfALaunch) {
  GpuUnderTest gpu;
  gpu.cuda().Fail(Call::kLaunch, FakeCuda::kInvalidConfiguration);
  const absl::Status status = gpu.stream().CheckLaunch();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("cudaErrorInvalidConfiguration"));
  EXPECT_TRUE(gpu.stream().CheckLaunch().ok());
}

// If CUDA refuses an event, the calling thread itself waits for the work.
TEST(CudaStreamsTest, GoesOnWithoutEvents) {
  for (const Call call : {Call::kRecord, Call::kNewEvent, Call::kWait}) {
    GpuUnderTest gpu;
    gpu.cuda().SlowDown(1);
    Tensor from = gpu.Pinned(kLarge);
    SetAll(from, 4);
    const Tensor there = gpu.OnGpu(kLarge);
    gpu.cuda().Fail(call, FakeCuda::kOutOfMemory, 1000);
    ASSERT_TRUE(gpu.stream().CopyToDevice(from, there).ok());
    gpu.Add(there, 1, there);
    const Tensor back = gpu.Pinned(kLarge);
    Event done;
    gpu.stream().CopyToHost(there, back, [&](absl::Status status) {
      EXPECT_TRUE(status.ok());
      EXPECT_TRUE(AllAre(back, 5));
      done.Set();
    });
    EXPECT_TRUE(done.Wait());
  }
}

// ---- Lost devices ----

TEST(CudaStreamsTest, EverythingFailsWithTheFirstErrorOfALostDevice) {
  GpuUnderTest gpu;
  Tensor here = gpu.Pinned(kLarge);
  Tensor there = gpu.OnGpu(kLarge);
  gpu.cuda().Lose(0);
  const absl::Status first = gpu.stream().CheckLaunch();
  EXPECT_EQ(first.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(first.message()),
              HasSubstr("/job:localhost/replica:0/task:0/device:GPU:0 has "
                        "failed and cannot be used any more: "));
  EXPECT_THAT(std::string(first.message()),
              HasSubstr("cudaErrorIllegalAddress"));
  // A later error does not replace the first one.
  gpu.cuda().Lose(0, 719);
  EXPECT_EQ(gpu.stream().CheckLaunch(), first);
  EXPECT_EQ(gpu.stream().CopyToDevice(here, there), first);
  EXPECT_EQ(gpu.stream().Fill(const_cast<char*>(there.raw_data()), 0, 4),
            first);
  EXPECT_EQ(gpu.Drain(), first);
  EXPECT_EQ(gpu.device().status(), first);
  Event done;
  gpu.stream().CopyToHost(there, here, [&](absl::Status status) {
    EXPECT_EQ(status, first);
    done.Set();
  });
  EXPECT_TRUE(done.Wait());
  EXPECT_EQ(gpu.device().allocator().Allocate(10), nullptr);
}

TEST(CudaStreamsTest, WhatWaitsForALostDeviceIsDone) {
  for (const int64_t n : {kSmall, kLarge}) {
    GpuUnderTest gpu({.has_thread = false});
    const Tensor there = gpu.OnGpu(n);
    const Tensor here = gpu.Pinned(n);
    Event copied;
    Event drained;
    gpu.stream().CopyToHost(there, here, [&](absl::Status status) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
      copied.Set();
    });
    gpu.stream().Drain([&](absl::Status status) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
      drained.Set();
    });
    gpu.cuda().Lose(0);
    EXPECT_TRUE(copied.Wait());
    EXPECT_TRUE(drained.Wait());
  }
}

TEST(CudaStreamsTest, AnyCallMayFindThatTheDeviceIsLost) {
  for (int after = 0; after < 60; ++after) {
    GpuUnderTest gpu({.seed = static_cast<uint64_t>(after)});
    gpu.cuda().LoseAfter(0, after);
    absl::Status status;
    for (int i = 0; i < 20 && status.ok(); ++i) {
      const Tensor here =
          i % 3 == 0 ? gpu.Ordinary(kLarge) : gpu.Pinned(kLarge);
      if (here.buffer() == nullptr) break;
      BufferRef block = gpu.device().allocator().Allocate(kLarge * 4);
      if (block == nullptr) break;
      const Tensor there = Tensor::FromBuffer(DType::kFloat, Shape{kLarge},
                                              block, block->data());
      status.Update(gpu.stream().CopyToDevice(here, there));
      gpu.stream().CopyToHost(there, here, nullptr);
      status.Update(gpu.stream().CheckLaunch());
    }
    EXPECT_EQ(gpu.Drain().code(), absl::StatusCode::kInternal);
  }
}

// ---- The end ----

TEST(CudaStreamsTest, TheDestructorWaitsForAllWork) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    GpuUnderTest gpu({.seed = seed});
    Tensor here = gpu.Pinned(kLarge);
    const Tensor result = gpu.Pinned(kLarge);
    SetAll(here, 1);
    bool is_drained = false;
    {
      const Tensor there = gpu.OnGpu(kLarge);
      ASSERT_TRUE(gpu.stream().CopyToDevice(here, there).ok());
      gpu.Add(there, 1, there);
      gpu.stream().CopyToHost(there, result, nullptr);
      gpu.stream().Drain([&](absl::Status) { is_drained = true; });
    }
    gpu.Destroy();
    EXPECT_TRUE(is_drained);
    // Pinned memory remains valid after the device is destroyed.
    EXPECT_TRUE(AllAre(result, 2));
  }
}

}  // namespace
}  // namespace leat::cuda_streams_test
