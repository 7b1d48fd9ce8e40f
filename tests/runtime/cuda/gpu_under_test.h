// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GpuUnderTest is a CudaDevice on a FakeCuda, with functions that tests need.
//
//   GpuUnderTest gpu({.seed = 7});
//   const Tensor x = gpu.OnGpu(100);
//   gpu.Add(x, 1, x);
//   ASSERT_TRUE(gpu.Drain().ok());
#ifndef LEAT_TESTS_RUNTIME_CUDA_GPU_UNDER_TEST_H_
#define LEAT_TESTS_RUNTIME_CUDA_GPU_UNDER_TEST_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leat/core/tensor.h"
#include "leat/kernels/cuda/device/host_stream.h"
#include "leat/runtime/cuda/cuda_device.h"
#include "leat/tests/testing/event.h"
#include "leat/tests/testing/fake_cuda.h"

namespace leat::testing {

// A GpuUnderTest is not thread-safe. But the objects that cuda(), device() and
// stream() return are thread-safe. All tensors are vectors of float.
class GpuUnderTest {
 public:
  explicit GpuUnderTest(const FakeCudaOptions& fake = {},
                        const CudaDeviceOptions& options = {})
      : cuda_(std::make_shared<FakeCuda>(fake)), has_thread_(fake.has_thread) {
    auto made = CreateCudaDevices(cuda_, options);
    EXPECT_TRUE(made.ok()) << made.status();
    if (made.ok()) devices_ = *std::move(made);
  }

  ~GpuUnderTest() {
    // The destructor of the device waits for the queued work. If the fake has
    // no thread, the work must run here, or the device would wait forever.
    if (!has_thread_) cuda_->RunAll();
  }

  FakeCuda& cuda() { return *cuda_; }
  CudaDevice& device() { return *devices_[0]; }
  GpuStream& stream() { return *device().gpu_stream(); }
  // Destroys the device.
  void Destroy() { devices_.clear(); }

  Tensor OnGpu(int64_t elements) { return New(device().allocator(), elements); }
  Tensor Pinned(int64_t elements) {
    return New(device().host_allocator(), elements);
  }
  static Tensor Ordinary(int64_t elements) {
    return New(HostAllocator(), elements);
  }

  // Queues a kernel that stores `x` + `value` in `y`.
  void Add(const Tensor& x, float value, const Tensor& y) {
    const auto* const from = reinterpret_cast<const float*>(x.raw_data());
    auto* const to = reinterpret_cast<float*>(const_cast<char*>(y.raw_data()));
    const int64_t n = x.num_elements();
    cuda::HostStream::Of(stream().handle()).Add([from, to, n, value] {
      for (int64_t i = 0; i < n; ++i) to[i] = from[i] + value;
    });
    EXPECT_TRUE(stream().CheckLaunch().ok());
  }

  // Waits until all work has run. Returns the status that the drain reports.
  absl::Status Drain() {
    absl::Status status;
    Event drained;
    stream().Drain([&](absl::Status result) {
      status = std::move(result);
      drained.Set();
    });
    if (!has_thread_) cuda_->RunAll();
    EXPECT_TRUE(drained.Wait());
    return status;
  }

 private:
  static Tensor New(Allocator& allocator, int64_t elements) {
    auto tensor = Tensor::Allocate(allocator, DType::kFloat, Shape{elements});
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return tensor.ok() ? *tensor : Tensor();
  }

  const std::shared_ptr<FakeCuda> cuda_;
  const bool has_thread_;
  std::vector<std::unique_ptr<CudaDevice>> devices_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_RUNTIME_CUDA_GPU_UNDER_TEST_H_
