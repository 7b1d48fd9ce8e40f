// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GradientSum: the sum of the gradients that an accumulator has got, dense ones
// or rows. Not thread-safe: the accumulator's lock guards it.
#ifndef LEAT_KERNELS_GRADIENT_SUM_H_
#define LEAT_KERNELS_GRADIENT_SUM_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/core/work_queue.h"

namespace leat::kernels {

// One gradient: a tensor, or rows of one.
struct Gradient {
  Tensor values = {};
  Tensor indices = {};  // int64, of the rows; not set for a dense gradient
  Tensor shape = {};    // int64, of the whole, where it is told
};

// The sum of `count` gradients. Row i of a sparse one is the sum of counts[i].
struct GradientTotal {
  Tensor values = {};
  Tensor indices = {};
  Tensor counts = {};  // int32
  int64_t count = 0;
};

// The mean instead of the sum, each row by its own count.
absl::Status Average(Allocator& allocator, WorkQueue& queue,
                     GradientTotal& total);

class GradientSum {
 public:
  virtual ~GradientSum() = default;

  int64_t count() const { return total_.count; }

  // INVALID_ARGUMENT with TensorFlow's text when the gradient's shape does not
  // fit those before it, or the declared one. Unchanged on error. The first
  // gradient's bytes are shared. REQUIRES: the dtype of those before it, one of
  // kFloats.
  virtual absl::Status Add(const Gradient& gradient, Allocator& allocator,
                           WorkQueue& queue) = 0;

  // Leaves nothing behind.
  GradientTotal Release() { return std::exchange(total_, GradientTotal()); }

 protected:
  explicit GradientSum(PartialShape shape) : shape_(std::move(shape)) {}

  const PartialShape shape_;  // declared
  GradientTotal total_;
};

std::unique_ptr<GradientSum> NewDenseSum(PartialShape shape);

// Rows of equal index are added as if the indices of both sides ascended: as in
// TensorFlow, [2, 0] and [0] make [0, 2, 0].
std::unique_ptr<GradientSum> NewSparseSum(PartialShape shape);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_GRADIENT_SUM_H_
