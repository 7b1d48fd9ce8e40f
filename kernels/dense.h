// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Dense float arithmetic on the CPU: matrix products and convolutions, by
// oneDNN. No other file knows that library.
//
// Work is split into chunks that run on `queue`; each chunk is single-threaded,
// because the library's own OpenMP teams collapse beside other processes. All
// functions are thread-safe.
#ifndef LEAT_KERNELS_DENSE_H_
#define LEAT_KERNELS_DENSE_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "leat/core/buffer.h"
#include "leat/core/work_queue.h"
#include "leat/kernels/epilogue.h"

namespace leat::kernels {

// c[m,n] = op(a) * op(b), row-major and contiguous; op transposes what is
// stored: a is [k,m] with transpose_a, b is [n,k] with transpose_b.
struct MatMulShape {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

// REQUIRES: the matrices have these sizes; c overlaps neither a nor b. k == 0
// gives zeros. An epilogue, if not null, is applied to every part of c that is
// done.
absl::Status MatMul(WorkQueue& queue, const MatMulShape& shape, const float* a,
                    const float* b, float* c,
                    const Epilogue* epilogue = nullptr);

// The same without splitting, for callers that split a batch themselves.
absl::Status MatMulOnOneThread(const MatMulShape& shape, const float* a,
                               const float* b, float* c,
                               const Epilogue* epilogue = nullptr);

// A 2-D convolution as TensorFlow's Conv2D: activations NHWC or NCHW, filter
// HWIO. Extents are positive and consistent (see core/window.h); input channels
// are groups times the filter's.
struct ConvolutionShape {
  bool channels_first = false;
  int64_t batch = 0;
  int64_t in_channels = 0, in_height = 0, in_width = 0;
  int64_t out_channels = 0, out_height = 0, out_width = 0;
  int64_t groups = 1;
  int64_t filter_height = 0, filter_width = 0;
  int64_t stride_height = 1, stride_width = 1;
  int64_t dilation_height = 1, dilation_width = 1;
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;

  friend bool operator==(const ConvolutionShape&,
                         const ConvolutionShape&) = default;
};

// Convolutions of one kernel; keeps the primitives made for the shapes it has
// met, a bounded number of them.
class Convolution {
 public:
  Convolution();
  ~Convolution();
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  // RESOURCE_EXHAUSTED when scratch memory runs out, INTERNAL naming oneDNN's
  // status when the library refuses. Outputs are overwritten. An epilogue, if
  // not null, is applied to each thread's part.
  absl::Status Forward(WorkQueue& queue, Allocator& allocator,
                       const ConvolutionShape& shape, const float* input,
                       const float* filter, float* output,
                       const Epilogue* epilogue = nullptr) const;
  absl::Status BackwardInput(WorkQueue& queue, Allocator& allocator,
                             const ConvolutionShape& shape,
                             const float* out_backprop, const float* filter,
                             float* in_backprop) const;
  absl::Status BackwardFilter(WorkQueue& queue, Allocator& allocator,
                              const ConvolutionShape& shape, const float* input,
                              const float* out_backprop,
                              float* filter_backprop) const;

 private:
  class Cache;
  const std::unique_ptr<Cache> cache_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DENSE_H_
