// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Computes what the begin, end, strides and masks of StridedSlice mean for an
// input of known shape: Python's x[a:b:c, ..., newaxis, i]. Follows
// TensorFlow's ValidateStridedSliceOp. All functions are stateless.
#ifndef LEAT_KERNELS_STRIDED_SLICE_H_
#define LEAT_KERNELS_STRIDED_SLICE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/graph/attr.h"

namespace leat::kernels {

// The op's five mask attrs. Bit i of a mask refers to element i of begin, end
// and strides.
struct StridedSliceMasks {
  // A set bit means that begin[i] is ignored. The slice then starts at the
  // first element or, if the stride is negative, at the last one.
  int64_t begin = 0;
  // A set bit means that end[i] is ignored. The slice then goes on to the last
  // element or, if the stride is negative, to the first one.
  int64_t end = 0;
  // A set bit means that element i is "...", which takes all remaining
  // dimensions whole.
  int64_t ellipsis = 0;
  // A set bit means that element i is newaxis, which adds a dimension of extent
  // 1.
  int64_t new_axis = 0;
  // A set bit means that element i is the single index begin[i]. The result has
  // no dimension for element i.
  int64_t shrink_axis = 0;

  // Reads the attrs begin_mask, end_mask, ellipsis_mask, new_axis_mask and
  // shrink_axis_mask; an absent one is 0. INVALID_ARGUMENT if one is not an
  // int.
  static absl::StatusOr<StridedSliceMasks> FromAttrs(const AttrMap& attrs);
};

// The elements that a slice takes. `begin` and `strides` have one entry per
// dimension of the input, as `box` has.
struct StridedSlicePlan {
  Shape box = {};     // how many indices are taken per dimension
  Dims begin = {};    // the first index taken
  Dims strides = {};  // never 0
  Shape result = {};  // `box` with dimensions added and removed

  // Returns true if the slice is a range of rows of `input`: every stride is 1
  // and all dimensions but the first are taken whole. Such a slice can share
  // the bytes of the input.
  bool IsRowRange(const Shape& input) const;
};

// Resolves a slice of an input of shape `input`. `begin`, `end` and `strides`
// have one element per item between the brackets. INVALID_ARGUMENT, with
// TensorFlow's text, if their lengths differ or are more than 31, for a zero
// stride, for a second ellipsis, and for too many indices. Also
// INVALID_ARGUMENT for a single index that is out of bounds or has a negative
// stride.
absl::StatusOr<StridedSlicePlan> PlanStridedSlice(
    const Shape& input, const Dims& begin, const Dims& end, const Dims& strides,
    const StridedSliceMasks& masks);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_STRIDED_SLICE_H_
