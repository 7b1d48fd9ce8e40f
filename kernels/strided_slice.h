// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What StridedSlice's begin, end, strides and masks mean for a known shape:
// Python's x[a:b:c, ..., newaxis, i]. TensorFlow's ValidateStridedSliceOp.
#ifndef LEAT_KERNELS_STRIDED_SLICE_H_
#define LEAT_KERNELS_STRIDED_SLICE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/graph/attr.h"

namespace leat::kernels {

// Bit i of a mask is about element i of begin, end and strides.
struct StridedSliceMasks {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t ellipsis = 0;
  int64_t new_axis = 0;
  int64_t shrink_axis = 0;

  static absl::StatusOr<StridedSliceMasks> FromAttrs(const AttrMap& attrs);
};

struct StridedSlicePlan {
  Shape box = {};     // extents taken, one per dimension of the input
  Dims begin = {};    // first index taken
  Dims strides = {};  // never 0
  Shape result = {};  // box with axes added and removed

  // Every stride is 1 and all but the first dimension is taken whole.
  bool IsRowRange(const Shape& input) const;
};

// INVALID_ARGUMENT with TensorFlow's text for what is out of bounds.
absl::StatusOr<StridedSlicePlan> PlanStridedSlice(
    const Shape& input, const Dims& begin, const Dims& end, const Dims& strides,
    const StridedSliceMasks& masks);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_STRIDED_SLICE_H_
