// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HostStream stands for a CUDA stream where kernels for GPUs are compiled for
// the host: under a sanitizer, and on a machine without nvcc. A handle of type
// cudaStream_t then points to a HostStream. The fake of CUDA
// (tests/testing/fake_cuda.h) has such streams.
#ifndef LEAT_KERNELS_CUDA_DEVICE_HOST_STREAM_H_
#define LEAT_KERNELS_CUDA_DEVICE_HOST_STREAM_H_

#include <cstdint>
#include <functional>

// Is CUDA's type: a cudaStream_t is a pointer to it.
struct CUstream_st;

namespace leat::cuda {

// Runs work in the order in which it was added, on any thread. Is thread-safe.
class HostStream {
 public:
  virtual ~HostStream() = default;
  // Queues `work`, and may return before `work` has run.
  virtual void Add(std::function<void()> work) = 0;
  // Returns the number of threads that share the elements of one piece of work.
  // With two threads, a thread sanitizer finds data races between elements.
  virtual int num_threads() const { return 1; }

  // These functions convert between a HostStream and the handle that launch
  // functions take.
  CUstream_st* handle() { return reinterpret_cast<CUstream_st*>(this); }
  static HostStream& Of(CUstream_st* handle) {
    return *reinterpret_cast<HostStream*>(handle);
  }
};

// Calls run(begin, end) for parts that cover [0, n), each on a thread of its
// own if `num_threads` is not 1. Returns when all have returned.
void RunInParts(int num_threads, int64_t n,
                const std::function<void(int64_t, int64_t)>& run);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_HOST_STREAM_H_
