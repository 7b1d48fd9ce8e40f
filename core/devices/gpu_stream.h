// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GpuStream is the interface of a GPU's queue, in which kernels run one after
// another. Kernels and the copies of the runtime use it. CudaStreams implements
// it (runtime/cuda/cuda_streams.h).
//
//   absl::Status Negate(KernelContext& context) {
//     const Tensor& x = context.input(0);
//     LEAT_ASSIGN_OR_RETURN(Tensor* const y,
//                           context.ForwardOrAllocate({0}, 0, x.shape()));
//     GpuStream& stream = *context.step().device->gpu_stream();
//     cuda::LaunchNegate(stream.handle(), ...);
//     return stream.CheckLaunch();
//   }
#ifndef LEAT_CORE_DEVICES_GPU_STREAM_H_
#define LEAT_CORE_DEVICES_GPU_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"

// Is CUDA's type: a cudaStream_t is a pointer to it.
struct CUstream_st;

namespace leat {

class GpuLibraries;

// Work that is queued here begins in the order of the calls. The bytes of a
// Buffer in the memory of the GPU belong to this stream. Once the last
// reference to the Buffer is dropped, work that is queued later may reuse the
// bytes, even if earlier work has not run yet. So a kernel need not keep its
// inputs, outputs and temporary tensors until the work has run.
//
// Thread-safe. Each function returns once the work is queued. After the GPU has
// failed, nothing can run on it. Then the functions return INTERNAL, naming the
// device.
class GpuStream {
 public:
  using Done = absl::AnyInvocable<void(absl::Status) &&>;

  virtual ~GpuStream() = default;

  // Returns the stream to which launch functions (kernels/cuda/device/) add
  // their work. Makes the GPU current for the calling thread.
  virtual CUstream_st* handle() = 0;

  // Must be called after launches. Returns an error if a launch since the last
  // check was refused.
  virtual absl::Status CheckLaunch() = 0;

  // Must be called when a kernel has ended. If the device waits for each kernel
  // (--gpu-sync), waits until the work that the kernel has queued has run, and
  // returns its error. Otherwise returns OK at once.
  virtual absl::Status EndKernel() { return absl::OkStatus(); }
  // Returns how often work was queued. The number changes while a kernel queues
  // work, and may change at other times.
  virtual uint64_t num_queued() const { return 0; }
  // Returns true if the GPU has failed for good and the device does not wait
  // for each kernel, so that nobody knows which kernel is the cause.
  virtual bool HasFailedLate() const { return false; }

  // Queues a copy of `bytes` bytes within the memory of the GPU.
  virtual absl::Status CopyOnDevice(void* to, const void* from,
                                    size_t bytes) = 0;
  // Queues an operation that sets each of `bytes` bytes to `value`.
  virtual absl::Status Fill(void* to, uint8_t value, size_t bytes) = 0;

  // Returns a buffer of pinned host memory, which the GPU can also write.
  // Returns null if no pinned memory is left.
  virtual BufferRef AllocatePinned(size_t bytes) = 0;

  // Queues a copy of `from`, which lies in memory of the host, to `to`, which
  // lies in the memory of the GPU. The tensors must have the same number of
  // bytes. Keeps `from` until the copy is done.
  virtual absl::Status CopyToDevice(const Tensor& from, const Tensor& to) = 0;

  // Queues a copy of `from`, which lies in the memory of the GPU, to `to`,
  // which lies in memory of the host. Calls `done` exactly once, on a thread
  // that may compute, when the bytes have arrived. `done` may be null: the
  // bytes have then arrived when Drain completes.
  virtual void CopyToHost(const Tensor& from, const Tensor& to, Done done) = 0;

  // Calls `done` exactly once, on a thread that may compute, when all work that
  // was queued before the call has run. Passes the first error of a copy to
  // `done`. An index out of range that a kernel has found is an error of the
  // step and is not passed here (kernels/indices/index_faults.h).
  virtual void Drain(Done done) = 0;

  // Returns the libraries whose work is queued here.
  virtual GpuLibraries& libraries() = 0;

  // Describes how the memory of the GPU is used: the sizes of the largest
  // buffers, and what is free. Errors of failed allocations contain this text.
  virtual std::string DescribeMemory() const { return ""; }
};

}  // namespace leat

#endif  // LEAT_CORE_DEVICES_GPU_STREAM_H_
