// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CudartGpu gives tests of kernels the GPU 0 of this machine. It allocates and
// frees memory in CUDA's own pool, in the order of the stream. So a kernel that
// uses memory after it was freed gives wrong values.
#ifndef LEAT_TESTS_OP_CASES_GPU_CUDART_GPU_H_
#define LEAT_TESTS_OP_CASES_GPU_CUDART_GPU_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/allocation_gate.h"
#include "leat/core/check.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/dtype_list.h"
#include "leat/runtime/cuda/cuda_libraries.h"
#include "leat/tests/testing/gpu/test_gpu.h"

namespace leat::testing {

// A CudartGpu is thread-safe. It ends the process if CUDA fails in a function
// that cannot return an error.
class CudartGpu final : public TestGpu, public GpuStream {
 public:
  // Returns "" if this machine has a GPU. Otherwise returns CUDA's error.
  static std::string WhyThereIsNone() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    return error == cudaSuccess && count > 0 ? "" : cudaGetErrorString(error);
  }

  CudartGpu()
      : TestGpu({.name = "/job:localhost/replica:0/task:0/device:GPU:0",
                 .type = kGpu,
                 .memory_bytes = int64_t{1} << 30,
                 .incarnation = 1}) {
    LEAT_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) ==
               cudaSuccess);
    libraries_ = std::make_unique<CudaLibraries>(CudaLibrariesOptions{
        .api = NewCudaApi().value(),
        .device = *this,
        .log = [](absl::string_view text) {
          std::fprintf(stderr, "%s\n", std::string(text).c_str());
        }});
  }
  ~CudartGpu() override {
    cudaStreamSynchronize(stream_);
    libraries_.reset();
    cudaStreamDestroy(stream_);
  }

  Tensor ToDevice(const Tensor& tensor) final {
    if (tensor.IsOnGpu() || kObjects.Contains(tensor.dtype())) return tensor;
    const BufferRef buffer =
        allocator_.AllocateAlways(static_cast<size_t>(tensor.num_bytes()));
    Tensor copy = Tensor::FromBuffer(tensor.dtype(), tensor.shape(), buffer,
                                     buffer->data());
    LEAT_CHECK(Copy(copy.mutable_raw_data(), tensor.raw_data(),
                    static_cast<size_t>(tensor.num_bytes()))
                   .ok());
    // Waits, because the caller may change `tensor` as soon as this function
    // returns.
    LEAT_CHECK(RunAll().ok());
    return copy;
  }
  Tensor ToHost(const Tensor& tensor) final {
    LEAT_CHECK(RunAll().ok());
    if (!tensor.IsOnGpu()) return tensor;
    Tensor copy =
        Tensor::Allocate(SmallTensorAllocator(), tensor.dtype(), tensor.shape())
            .value();
    LEAT_CHECK(Copy(copy.mutable_raw_data(), tensor.raw_data(),
                    static_cast<size_t>(tensor.num_bytes()))
                   .ok());
    LEAT_CHECK(RunAll().ok());
    return copy;
  }
  absl::Status RunAll() final {
    return StatusOf(cudaStreamSynchronize(stream_));
  }

  Allocator& allocator() final { return allocator_; }
  Allocator& host_allocator() final { return HostAllocator(); }
  WorkQueue& compute_queue() final { return *queue_; }
  GpuStream* gpu_stream() final { return this; }

  CUstream_st* handle() final { return stream_; }
  absl::Status CheckLaunch() final { return StatusOf(cudaGetLastError()); }
  absl::Status CopyOnDevice(void* to, const void* from, size_t bytes) final {
    return Copy(to, from, bytes);
  }
  absl::Status Fill(void* to, uint8_t value, size_t bytes) final {
    if (bytes == 0) return absl::OkStatus();
    return StatusOf(cudaMemsetAsync(to, value, bytes, stream_));
  }
  BufferRef AllocatePinned(size_t bytes) final {
    void* data = nullptr;
    LEAT_CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocPortable) ==
               cudaSuccess);
    return BufferRef(new PinnedBlock(static_cast<char*>(data), bytes));
  }
  absl::Status CopyToDevice(const Tensor& from, const Tensor& to) final {
    return Copy(const_cast<char*>(to.raw_data()), from.raw_data(),
                static_cast<size_t>(from.num_bytes()));
  }
  void CopyToHost(const Tensor& from, const Tensor& to, Done done) final {
    absl::Status status = CopyToDevice(from, to);
    status.Update(RunAll());
    if (done != nullptr) std::move(done)(status);
  }
  void Drain(Done done) final { std::move(done)(RunAll()); }
  GpuLibraries& libraries() final { return *libraries_; }

 private:
  class PinnedBlock final : public Buffer {
   public:
    PinnedBlock(char* data, size_t bytes)
        : Buffer(data, bytes, leat::Memory{MemoryKind::kPinned, 0}) {}

   private:
    void Dispose() final {
      cudaFreeHost(data());
      delete this;
    }
  };

  class Memory final : public Allocator {
   public:
    explicit Memory(CudartGpu& gpu) : gpu_(gpu) {}
    BufferRef Allocate(size_t bytes) final {
      return AllocationGate::Admits() ? AllocateAlways(bytes) : nullptr;
    }
    // Does the same as Allocate, but a test cannot make it fail.
    BufferRef AllocateAlways(size_t bytes) {
      void* data = nullptr;
      const size_t wanted = bytes == 0 ? 1 : bytes;
      if (cudaMallocAsync(&data, wanted, gpu_.stream_) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
      }
      // A kernel must not rely on what the memory held before.
      cudaMemsetAsync(data, 0xA5, wanted, gpu_.stream_);
      return BufferRef(new Block(*this, static_cast<char*>(data), bytes));
    }
    void CopyBytes(char* to, const char* from, size_t bytes) final {
      gpu_.Copy(to, from, bytes).IgnoreError();
    }
    absl::string_view name() const final { return "GPU:0"; }
    AllocatorStats stats() const final { return {.live_bytes = live_bytes_}; }

   private:
    class Block final : public Buffer {
     public:
      Block(Memory& owner, char* data, size_t bytes)
          : Buffer(data, bytes, leat::Memory{MemoryKind::kDevice, 0}),
            owner_(owner) {
        owner_.live_bytes_ += static_cast<int64_t>(bytes);
      }

     private:
      void Dispose() final {
        owner_.live_bytes_ -= static_cast<int64_t>(size());
        cudaFreeAsync(data(), owner_.gpu_.stream_);
        delete this;
      }
      Memory& owner_;
    };

    CudartGpu& gpu_;
    std::atomic<int64_t> live_bytes_{0};
  };

  static absl::Status StatusOf(cudaError_t error) {
    if (error == cudaSuccess) return absl::OkStatus();
    return absl::InternalError(
        absl::StrCat(cudaGetErrorName(error), ": ", cudaGetErrorString(error)));
  }
  absl::Status Copy(void* to, const void* from, size_t bytes) {
    if (bytes == 0) return absl::OkStatus();
    return StatusOf(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
  }

  cudaStream_t stream_ = nullptr;
  const std::unique_ptr<WorkQueue> queue_ = NewThreadPool("test-gpu", 1);
  Memory allocator_{*this};
  std::unique_ptr<CudaLibraries> libraries_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_OP_CASES_GPU_CUDART_GPU_H_
