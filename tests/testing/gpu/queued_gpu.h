// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// QueuedGpu is a GPU for tests of kernels. Its memory is memory of the host
// that is marked as memory of a GPU. It keeps all work in a queue until Drain,
// RunAll or a copy to the host. So a kernel fails its test if it reads a result
// too early, or if its work uses objects that the kernel has already destroyed.
// (The tests of the runtime use a fake of CUDA instead, fake_cuda.h.)
//
// QueuedGpu needs kernels that are compiled for the host:
//
//   if (!cuda::KernelsRunOnHost()) GTEST_SKIP() << "...";
//   QueuedGpu gpu;
//   Tensor x = gpu.ToDevice(Tensor::Scalar(1.f));
#ifndef LEAT_TESTS_TESTING_GPU_QUEUED_GPU_H_
#define LEAT_TESTS_TESTING_GPU_QUEUED_GPU_H_

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "leat/core/allocation_gate.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/gpu_libraries.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/dtype_list.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/cuda/device/host_stream.h"
#include "leat/tests/testing/gpu/host_convolution.h"
#include "leat/tests/testing/gpu/host_products.h"
#include "leat/tests/testing/gpu/test_gpu.h"

namespace leat::testing {

// Is thread-safe. Must outlive its tensors.
class QueuedGpu final : public TestGpu, public GpuStream, cuda::HostStream {
 public:
  // Each piece of work runs on `num_threads` threads. If `has_libraries` is
  // false, the GPU has no libraries.
  explicit QueuedGpu(int num_threads = 1, bool has_libraries = true);
  // Runs the work that is still queued.
  ~QueuedGpu() override;

  Tensor ToDevice(const Tensor& tensor) final;
  Tensor ToHost(const Tensor& tensor) final;
  // Runs the queued work.
  absl::Status RunAll() final;

  Allocator& allocator() final { return allocator_; }
  Allocator& host_allocator() final { return HostAllocator(); }
  WorkQueue& compute_queue() final { return *queue_; }
  GpuStream* gpu_stream() final { return this; }

  CUstream_st* handle() final { return cuda::HostStream::handle(); }
  absl::Status CheckLaunch() final { return absl::OkStatus(); }
  absl::Status CopyOnDevice(void* to, const void* from, size_t bytes) final;
  absl::Status Fill(void* to, uint8_t value, size_t bytes) final;
  BufferRef AllocatePinned(size_t bytes) final {
    return HostAllocator().Allocate(bytes);
  }
  absl::Status CopyToDevice(const Tensor& from, const Tensor& to) final;
  void CopyToHost(const Tensor& from, const Tensor& to, Done done) final;
  void Drain(Done done) final;
  GpuLibraries& libraries() final {
    return has_libraries_ ? libraries_ : no_libraries_;
  }

 private:
  // Allocates blocks with malloc. A block is freed after the work that was
  // queued before it.
  class Memory final : public Allocator {
   public:
    explicit Memory(QueuedGpu& gpu) : gpu_(gpu) {}
    BufferRef Allocate(size_t bytes) final;
    // Does the same as Allocate, but a test cannot make it fail.
    BufferRef AllocateAlways(size_t bytes);
    void CopyBytes(char* to, const char* from, size_t bytes) final;
    absl::string_view name() const final { return "GPU:0"; }
    AllocatorStats stats() const final;

   private:
    class Block;
    QueuedGpu& gpu_;
    mutable Mutex mutex_;
    int64_t live_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  };

  class Libraries final : public GpuLibraries {
   public:
    explicit Libraries(cuda::HostStream& stream)
        : multiplication_(stream), convolution_(stream) {}
    MatrixMultiplication* matrix_multiplication() final {
      return &multiplication_;
    }
    ConvolutionLibrary* convolution() final { return &convolution_; }

   private:
    HostMultiplication multiplication_;
    HostConvolution convolution_;
  };

  void Add(std::function<void()> work) final;
  int num_threads() const final { return num_threads_; }

  const std::unique_ptr<WorkQueue> queue_ = NewThreadPool("test-gpu", 1);
  const int num_threads_;
  Memory allocator_{*this};
  const bool has_libraries_;
  GpuLibraries no_libraries_;
  Libraries libraries_{*this};
  Mutex mutex_;
  std::vector<std::function<void()>> work_ ABSL_GUARDED_BY(mutex_);
};

// ---------------------------------------------------------------------------

class QueuedGpu::Memory::Block final : public Buffer {
 public:
  Block(Memory& owner, size_t bytes)
      : Buffer(static_cast<char*>(std::aligned_alloc(
                   kBufferAlignment,
                   (bytes / kBufferAlignment + 1) * kBufferAlignment)),
               bytes, leat::Memory{MemoryKind::kDevice, 0}),
        owner_(owner) {
    // The block is filled, so that a kernel cannot rely on zeros in new memory.
    std::memset(data(), 0xA5, bytes);
    MutexLock lock(owner_.mutex_);
    owner_.live_bytes_ += static_cast<int64_t>(bytes);
  }

 private:
  void Dispose() final {
    {
      MutexLock lock(owner_.mutex_);
      owner_.live_bytes_ -= static_cast<int64_t>(size());
    }
    owner_.gpu_.Add([block = data()] { std::free(block); });
    delete this;
  }

  Memory& owner_;
};

inline BufferRef QueuedGpu::Memory::Allocate(size_t bytes) {
  if (!AllocationGate::Admits() || bytes > (size_t{1} << 32)) return nullptr;
  return AllocateAlways(bytes);
}

inline BufferRef QueuedGpu::Memory::AllocateAlways(size_t bytes) {
  return BufferRef(new Block(*this, bytes));
}

inline void QueuedGpu::Memory::CopyBytes(char* to, const char* from,
                                         size_t bytes) {
  static_cast<void>(gpu_.CopyOnDevice(to, from, bytes));
}

inline AllocatorStats QueuedGpu::Memory::stats() const {
  MutexLock lock(mutex_);
  return {.live_bytes = live_bytes_};
}

inline QueuedGpu::QueuedGpu(int num_threads, bool has_libraries)
    : TestGpu({.name = "/job:localhost/replica:0/task:0/device:GPU:0",
               .type = kGpu,
               .memory_bytes = int64_t{1} << 30,
               .incarnation = 1}),
      num_threads_(num_threads),
      has_libraries_(has_libraries) {}

inline QueuedGpu::~QueuedGpu() { RunAll().IgnoreError(); }

inline Tensor QueuedGpu::ToDevice(const Tensor& tensor) {
  if (tensor.IsOnGpu() || kObjects.Contains(tensor.dtype())) return tensor;
  const size_t bytes = static_cast<size_t>(tensor.num_bytes());
  const BufferRef buffer = allocator_.AllocateAlways(bytes);
  Tensor copy = Tensor::FromBuffer(tensor.dtype(), tensor.shape(), buffer,
                                   buffer->data());
  if (bytes > 0) std::memcpy(copy.mutable_raw_data(), tensor.raw_data(), bytes);
  return copy;
}

inline Tensor QueuedGpu::ToHost(const Tensor& tensor) {
  RunAll().IgnoreError();
  if (!tensor.IsOnGpu()) return tensor;
  Tensor copy =
      Tensor::Allocate(SmallTensorAllocator(), tensor.dtype(), tensor.shape())
          .value();
  const size_t bytes = static_cast<size_t>(tensor.num_bytes());
  if (bytes > 0) std::memcpy(copy.mutable_raw_data(), tensor.raw_data(), bytes);
  return copy;
}

inline absl::Status QueuedGpu::RunAll() {
  for (;;) {
    std::vector<std::function<void()>> work;
    {
      MutexLock lock(mutex_);
      work.swap(work_);
    }
    if (work.empty()) return absl::OkStatus();
    for (const auto& each : work) each();
  }
}

inline void QueuedGpu::Add(std::function<void()> work) {
  MutexLock lock(mutex_);
  work_.push_back(std::move(work));
}

inline absl::Status QueuedGpu::CopyOnDevice(void* to, const void* from,
                                            size_t bytes) {
  Add([=] {
    if (bytes > 0) std::memmove(to, from, bytes);
  });
  return absl::OkStatus();
}

inline absl::Status QueuedGpu::Fill(void* to, uint8_t value, size_t bytes) {
  Add([=] {
    if (bytes > 0) std::memset(to, value, bytes);
  });
  return absl::OkStatus();
}

inline absl::Status QueuedGpu::CopyToDevice(const Tensor& from,
                                            const Tensor& to) {
  Add([from, to] {
    std::memcpy(Tensor(to).mutable_raw_data(), from.raw_data(),
                static_cast<size_t>(from.num_bytes()));
  });
  return absl::OkStatus();
}

inline void QueuedGpu::CopyToHost(const Tensor& from, const Tensor& to,
                                  Done done) {
  Tensor target = to;
  RunAll().IgnoreError();
  std::memcpy(target.mutable_raw_data(), from.raw_data(),
              static_cast<size_t>(from.num_bytes()));
  if (done != nullptr) std::move(done)(absl::OkStatus());
}

inline void QueuedGpu::Drain(Done done) { std::move(done)(RunAll()); }

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_GPU_QUEUED_GPU_H_
