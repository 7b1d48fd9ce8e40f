// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/cuda_streams.h"

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/kernels/cuda/device/host_stream.h"
#include "leat/runtime/cuda/cuda_device.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/fake_cuda.h"

namespace leat::cuda_streams_test {
namespace {

using ::leat::testing::Event;
using ::leat::testing::FakeCuda;
using ::leat::testing::FakeCudaOptions;
using ::testing::HasSubstr;
using Call = FakeCuda::Call;

constexpr int64_t kSmall = 1000;             // elements
constexpr int64_t kLarge = 100'000;          // of float
constexpr int64_t kSeveralPieces = 2'500'000;  // more than two pieces

// A device of a fake.
struct Gpu {
  explicit Gpu(FakeCudaOptions fake = {}, CudaDeviceOptions options = {})
      : cuda(std::make_shared<FakeCuda>(fake)) {
    auto made = CreateCudaDevices(cuda, options);
    EXPECT_TRUE(made.ok()) << made.status();
    devices = *std::move(made);
    device = devices[0].get();
    stream = device->gpu_stream();
  }

  Tensor OnGpu(int64_t elements) { return New(device->allocator(), elements); }
  Tensor Pinned(int64_t elements) {
    return New(device->host_allocator(), elements);
  }
  Tensor Ordinary(int64_t elements) { return New(HostAllocator(), elements); }

  static Tensor New(Allocator& allocator, int64_t elements) {
    auto tensor =
        Tensor::Allocate(allocator, DType::kFloat, Shape{elements});
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return *tensor;
  }

  // Queues a kernel that adds `value` to each element.
  void AddTo(const Tensor& tensor, float value) {
    auto* const data =
        reinterpret_cast<float*>(const_cast<char*>(tensor.raw_data()));
    const int64_t n = tensor.num_elements();
    cuda::HostStream::Of(stream->handle()).Add([=] {
      for (int64_t i = 0; i < n; ++i) data[i] += value;
    });
    EXPECT_TRUE(stream->CheckLaunch().ok());
  }

  absl::Status Drain() {
    absl::Status status;
    Event drained;
    stream->Drain([&](absl::Status result) {
      status = result;
      drained.Set();
    });
    if (!cuda_has_thread) cuda->RunAll();
    EXPECT_TRUE(drained.Wait());
    return status;
  }

  std::shared_ptr<FakeCuda> cuda;
  std::vector<std::unique_ptr<CudaDevice>> devices;
  CudaDevice* device = nullptr;
  GpuStream* stream = nullptr;
  bool cuda_has_thread = true;
};

TEST(CudaStreamsTest, CopiesThereAndBack) {
  Gpu gpu;
  for (const int64_t n : {int64_t{0}, int64_t{1}, kSmall, kLarge,
                          kSeveralPieces}) {
    for (const bool is_pinned : {false, true}) {
      Tensor from = is_pinned ? gpu.Pinned(n) : gpu.Ordinary(n);
      for (int64_t i = 0; i < n; ++i) from.mutable_data<float>()[i] = i;
      const Tensor there = gpu.OnGpu(n);
      ASSERT_TRUE(gpu.stream->CopyToDevice(from, there).ok());
      gpu.AddTo(there, 1);
      Tensor back = is_pinned ? gpu.Pinned(n) : gpu.Ordinary(n);
      gpu.stream->CopyToHost(there, back, nullptr);
      ASSERT_TRUE(gpu.Drain().ok());
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(back.data<float>()[i], i + 1);
      }
    }
  }
}

}  // namespace
}  // namespace leat::cuda_streams_test
