// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/cuda_device.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/runtime/cuda/gpu_under_test.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/fake_cuda.h"

namespace leat::cuda_device_test {
namespace {

using ::leat::testing::Event;
using ::leat::testing::FakeCuda;
using ::leat::testing::FakeCudaOptions;
using ::leat::testing::GpuUnderTest;
using ::testing::HasSubstr;
using ::testing::Not;
using Call = FakeCuda::Call;

constexpr int64_t kMiB = int64_t{1} << 20;

absl::Status ErrorOf(const CudaDeviceOptions& options) {
  const auto cuda = std::make_shared<FakeCuda>(FakeCudaOptions{.num_gpus = 2});
  return CreateCudaDevices(cuda, options).status();
}

TEST(CudaDeviceTest, DescribesTheGpu) {
  GpuUnderTest gpu({.num_gpus = 2},
                   {.task = "/job:w/replica:0/task:3", .ordinals = {1}});
  const DeviceInfo& info = gpu.device().info();
  EXPECT_EQ(info.name, "/job:w/replica:0/task:3/device:GPU:0");
  EXPECT_EQ(info.type, "GPU");
  EXPECT_NE(info.incarnation, 0u);
  EXPECT_EQ(info.description,
            "device: 1, name: Fake GPU, pci bus id: 0000:00:1.0, compute "
            "capability: 9.0, driver: CUDA 13.0");
  EXPECT_EQ(gpu.device().host_allocator().name(), "GPU:0 host");
}

TEST(CudaDeviceTest, MakesADeviceOfEachGpu) {
  const auto cuda = std::make_shared<FakeCuda>(FakeCudaOptions{.num_gpus = 3});
  const auto devices = CreateCudaDevices(cuda);
  ASSERT_TRUE(devices.ok());
  ASSERT_EQ(devices->size(), 3u);
  EXPECT_THAT((*devices)[2]->name(), HasSubstr("GPU:2"));
}

TEST(CudaDeviceTest, LimitsItsMemory) {
  const FakeCudaOptions fake{.memory_bytes = 100 * kMiB};
  EXPECT_EQ(GpuUnderTest(fake).device().info().memory_bytes, 90 * kMiB);
  EXPECT_EQ(GpuUnderTest(fake, {.memory_bytes = 5 * kMiB})
                .device()
                .info()
                .memory_bytes,
            5 * kMiB);
  EXPECT_EQ(GpuUnderTest(fake, {.memory_fraction = 0.25})
                .device()
                .info()
                .memory_bytes,
            25 * kMiB);
}

TEST(CudaDeviceTest, TakesAllItsMemoryAtOnceUnlessItGrows) {
  for (const bool grows : {false, true}) {
    GpuUnderTest gpu({}, {.memory_bytes = 30 * kMiB, .allow_growth = grows});
    const Tensor tensor = gpu.OnGpu(100);
    const AllocatorStats stats = gpu.device().allocator().stats();
    EXPECT_EQ(stats.live_bytes + stats.kept_bytes,
              grows ? 2 * kMiB : 30 * kMiB);
  }
}

TEST(CudaDeviceTest, RefusesWrongOptions) {
  EXPECT_EQ(ErrorOf({.ordinals = {0, 2}}).message(),
            "there is no GPU 2; this machine has 2");
  EXPECT_EQ(ErrorOf({.ordinals = {-1}}).message(),
            "there is no GPU -1; this machine has 2");
  EXPECT_EQ(ErrorOf({.ordinals = {1, 0, 1}}).message(), "GPU 1 is named twice");
  for (const double fraction : {-0.1, 1.1, std::nan("")}) {
    EXPECT_EQ(ErrorOf({.memory_fraction = fraction}).code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(ErrorOf({.memory_bytes = -1}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(CudaDeviceTest, FailsIfTheGpuRefusesWhatItNeeds) {
  for (const Call call : {Call::kNewStream, Call::kNewPinned}) {
    for (int skipped = 0; skipped < 2; ++skipped) {
      const auto cuda = std::make_shared<FakeCuda>();
      cuda->Fail(call, FakeCuda::kOutOfMemory, 1000, skipped);
      EXPECT_EQ(CreateCudaDevices(cuda).status().code(),
                absl::StatusCode::kResourceExhausted);
    }
  }
}

// The other GPUs still work after one GPU is lost.
TEST(CudaDeviceTest, OtherGpusGoOn) {
  const auto cuda = std::make_shared<FakeCuda>(FakeCudaOptions{.num_gpus = 2});
  const auto devices = CreateCudaDevices(cuda);
  ASSERT_TRUE(devices.ok());
  cuda->Lose(0);
  for (int i = 0; i < 2; ++i) {
    Event drained;
    (*devices)[i]->gpu_stream()->Drain([&](absl::Status status) {
      EXPECT_EQ(status.ok(), i == 1);
      drained.Set();
    });
    EXPECT_TRUE(drained.Wait());
  }
}

TEST(CudaDeviceTest, ItsQueueHasOneThread) {
  GpuUnderTest gpu;
  EXPECT_EQ(gpu.device().compute_queue().num_threads(), 1);
}

// The error says that the build has no CUDA, or that the machine has no driver
// or no GPU.
TEST(CudaDeviceTest, SaysWhyThereIsNoGpu) {
  const auto api = NewCudaApi();
  if (api.ok()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(api.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(api.status().message()),
              ::testing::AnyOf(HasSubstr("LEAT_CUDA"), HasSubstr("driver"),
                               HasSubstr("GPU")));
}

// No library of CUDA is linked: a program that links one would not start on a
// machine without CUDA, and would start more slowly elsewhere.
TEST(CudaDeviceTest, NoLibraryOfCudaIsLinked) {
  std::ifstream maps("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(maps)),
                         std::istreambuf_iterator<char>());
  EXPECT_THAT(text, HasSubstr("runtime_cuda_test"));
  for (const char* library :
       {"libcudart", "libcublas", "libcudnn", "libnccl"}) {
    EXPECT_THAT(text, Not(HasSubstr(library)));
  }
}

TEST(CudaErrorTest, TellsWhichErrorsLoseTheGpu) {
  EXPECT_TRUE(IsSticky(CudaError("f", 700, "cudaErrorIllegalAddress", "bad")));
  EXPECT_TRUE(IsSticky(CudaError("f", 719, "cudaErrorLaunchFailure", "bad")));
  EXPECT_FALSE(IsSticky(CudaError("f", 2, "cudaErrorMemoryAllocation", "no")));
  EXPECT_FALSE(IsSticky(CudaError("f", 9, "cudaErrorInvalidConf", "bad")));
  EXPECT_FALSE(IsSticky(absl::OkStatus()));
  const absl::Status status =
      CudaError("cudaMalloc", 2, "cudaErrorMemoryAllocation", "out of memory");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "cudaMalloc: out of memory (cudaErrorMemoryAllocation)");
}

}  // namespace
}  // namespace leat::cuda_device_test
