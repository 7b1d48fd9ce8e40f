// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GradientSum adds up the gradients that an Accumulator receives. NewDenseSum
// makes a GradientSum for dense gradients. NewSparseSum makes one for sparse
// gradients, which are rows of a tensor.
#ifndef LEAT_KERNELS_RESOURCES_GRADIENT_SUM_H_
#define LEAT_KERNELS_RESOURCES_GRADIENT_SUM_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/work_queue.h"

namespace leat::kernels {

// Describes one gradient: a whole tensor, or some rows of one. Shares the
// tensors' bytes.
struct Gradient {
  Tensor values = {};
  Tensor indices = {};  // int64, one per row; unset if dense
  Tensor shape = {};    // the shape of the whole tensor, int64, if known
};

// Holds the sum of `count` gradients. For sparse gradients, row i of `values`
// belongs to row indices[i] of the whole tensor and is the sum of counts[i]
// rows.
struct GradientTotal {
  Tensor values = {};
  Tensor indices = {};
  Tensor counts = {};  // int32
  int64_t count = 0;
};

// Divides the values of `total` to get the mean. A dense sum is divided by the
// number of gradients, and each row of a sparse sum by the number of rows that
// were added to it. Copies the values first if other tensors share their bytes.
// Returns RESOURCE_EXHAUSTED if there is no memory for the copy.
absl::Status Average(Allocator& allocator, WorkQueue& queue,
                     GradientTotal& total);

// Is not thread-safe. The lock of the Accumulator that owns the sum guards it.
class GradientSum {
 public:
  virtual ~GradientSum() = default;

  // Returns the number of gradients added since the start or the last Release.
  int64_t count() const { return total_.count; }

  // Adds `gradient`. Returns INVALID_ARGUMENT, with TensorFlow's text, if its
  // shape does not fit the earlier gradients or the declared shape. Returns
  // RESOURCE_EXHAUSTED if there is no memory. On error the sum is unchanged.
  // The sum of one gradient shares the gradient's bytes. REQUIRES: all
  // gradients have the same dtype, one of kFloats.
  virtual absl::Status Add(const Gradient& gradient, Allocator& allocator,
                           WorkQueue& queue) = 0;

  // Returns the sum and starts again with no gradients.
  GradientTotal Release() { return std::exchange(total_, GradientTotal()); }

 protected:
  explicit GradientSum(PartialShape shape) : shape_(std::move(shape)) {}

  const PartialShape shape_;  // declared by the accumulator
  GradientTotal total_;
};

// Makes an empty sum of dense gradients whose shapes fit `shape`.
std::unique_ptr<GradientSum> NewDenseSum(PartialShape shape);

// Makes an empty sum of sparse gradients: rows of a tensor whose shape fits
// `shape`. Rows with the same index are added. As in TensorFlow, two lists of
// indices are merged as if both were in ascending order. If one of the lists is
// not in ascending order, the result can contain an index twice. For example,
// merging [2, 0] and [0] gives [0, 2, 0].
std::unique_ptr<GradientSum> NewSparseSum(PartialShape shape);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_RESOURCES_GRADIENT_SUM_H_
