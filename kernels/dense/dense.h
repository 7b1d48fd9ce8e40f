// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions compute matrix products and convolutions of floats on the
// CPU. oneDNN does the arithmetic. Only files in this
// folder use oneDNN.
//
// Work is split into chunks that run on `queue`. Each chunk is single-threaded,
// because the OpenMP threads that oneDNN would start itself become very slow
// when other processes use the same cores. All functions are thread-safe. All
// pointers are borrowed for the call.
#ifndef LEAT_KERNELS_DENSE_DENSE_H_
#define LEAT_KERNELS_DENSE_DENSE_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "leat/core/buffer.h"
#include "leat/core/convolution_shape.h"
#include "leat/core/threads/work_queue.h"
#include "leat/kernels/epilogue.h"

namespace leat::kernels {

// Describes the shape of a product c[m,n] = op(a) * op(b) of row-major,
// contiguous matrices. By default op does nothing, and `a` has the shape [m,k]
// and `b` the shape [k,n]. With transpose_a, `a` has the shape [k,m], and op
// transposes it. With transpose_b, `b` has the shape [n,k], and op transposes
// it.
struct MatMulShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

// Computes a matrix product and overwrites `c` with it. If k is 0, all elements
// of `c` become 0. An `epilogue` that is not null is applied to each part of
// `c` when the part is done. Returns INTERNAL, with oneDNN's status, if the
// library fails. REQUIRES: the matrices have the sizes in `shape`, and `c`
// overlaps neither `a` nor `b`.
absl::Status MatMul(WorkQueue& queue, const MatMulShape& shape, const float* a,
                    const float* b, float* c,
                    const Epilogue* epilogue = nullptr);

// Like MatMul, but runs on the calling thread only. It is for callers that
// split a batch themselves.
absl::Status MatMulOnOneThread(const MatMulShape& shape, const float* a,
                               const float* b, float* c,
                               const Epilogue* epilogue = nullptr);

// Runs the convolutions of one kernel. Compiles a oneDNN primitive for each new
// shape, and keeps a bounded number of primitives for the next steps. Is
// thread-safe.
class Convolution {
 public:
  Convolution();
  ~Convolution();
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  // Computes Conv2D or Conv3D into `output`, which it overwrites. An `epilogue`
  // that is not null is applied to each thread's part. Returns
  // RESOURCE_EXHAUSTED if there is no scratch memory in `allocator`. Returns
  // INTERNAL, with oneDNN's status, if the library fails. REQUIRES: the arrays
  // have the sizes in `shape`.
  absl::Status Forward(WorkQueue& queue, Allocator& allocator,
                       const ConvolutionShape& shape, const float* input,
                       const float* filter, float* output,
                       const Epilogue* epilogue = nullptr) const;
  // Computes the gradient of the input into `in_backprop`, which it overwrites.
  // Has the same errors and requirements as Forward.
  absl::Status BackwardInput(WorkQueue& queue, Allocator& allocator,
                             const ConvolutionShape& shape,
                             const float* out_backprop, const float* filter,
                             float* in_backprop) const;
  // Computes the gradient of the filter into `filter_backprop`, which it
  // overwrites. Has the same errors and requirements as Forward.
  absl::Status BackwardFilter(WorkQueue& queue, Allocator& allocator,
                              const ConvolutionShape& shape, const float* input,
                              const float* out_backprop,
                              float* filter_backprop) const;

 private:
  class Cache;
  const std::unique_ptr<Cache> cache_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DENSE_DENSE_H_
