// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The indexing of StridedSlice (x[begin:end:stride, ..., None, 3]), resolved
// against a shape. The same function serves shape inference, where extents and
// bounds may be unknown, and kernels. TensorFlow's ValidateStridedSliceOp.
#ifndef LEAT_CORE_STRIDED_SLICE_H_
#define LEAT_CORE_STRIDED_SLICE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"

namespace leat {

// As the op's inputs and attrs say it: one entry per item between the brackets.
// Bit i of a mask speaks of entry i.
struct StridedSliceSpec {
  std::optional<Dims> begin = {};  // nothing while unknown
  std::optional<Dims> end = {};
  Dims strides = {};
  int64_t begin_mask = 0;        // from the first element
  int64_t end_mask = 0;          // to the last
  int64_t ellipsis_mask = 0;     // "...", at most one
  int64_t new_axis_mask = 0;     // None: an axis of extent 1
  int64_t shrink_axis_mask = 0;  // one index, whose axis goes away
};

// One entry per axis of the input.
struct StridedSliceBox {
  Dims begin = {};   // in [-1, extent]; 0 where unknown
  Dims stride = {};  // never 0
  // Extents after slicing, before axes are added and removed: as many as the
  // input has. Unknown where begin, end or the input's extent is.
  PartialShape processed = {};
  PartialShape output = {};
};

// REQUIRES: input's rank is known. INVALID_ARGUMENT for lengths that differ,
// more than 62 entries, two ellipses, too many indices, a zero stride, or an
// index out of bounds.
absl::StatusOr<StridedSliceBox> ResolveStridedSlice(
    const StridedSliceSpec& spec, const PartialShape& input);

}  // namespace leat

#endif  // LEAT_CORE_STRIDED_SLICE_H_
