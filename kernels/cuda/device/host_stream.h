// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// HostStream stands for a CUDA stream where kernels for GPUs are compiled for
// the host: under a sanitizer, and on a machine without nvcc. A handle of type
// cudaStream_t then points to a HostStream. The fake of CUDA
// (tests/testing/fake_cuda.h) has such streams.
#ifndef LEAT_KERNELS_CUDA_DEVICE_HOST_STREAM_H_
#define LEAT_KERNELS_CUDA_DEVICE_HOST_STREAM_H_

#include <functional>

// CUDA's type behind cudaStream_t.
struct CUstream_st;

namespace leat::cuda {

// Runs work in the order in which it was added, on any thread. Thread-safe.
class HostStream {
 public:
  virtual ~HostStream() = default;
  // Queues `work`, and may return before `work` has run.
  virtual void Add(std::function<void()> work) = 0;

  // Convert between a HostStream and the handle that launch functions take.
  CUstream_st* handle() { return reinterpret_cast<CUstream_st*>(this); }
  static HostStream& Of(CUstream_st* handle) {
    return *reinterpret_cast<HostStream*>(handle);
  }
};

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_HOST_STREAM_H_
