// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ResolveStridedSlice resolves the indexing of the StridedSlice op, such as
// x[begin:end:stride, ..., None, 3], against the shape of x. Kernels and shape
// inference use it. In shape inference, extents and bounds may be unknown.
// TensorFlow's ValidateStridedSliceOp does the same.
#ifndef LEAT_CORE_STRIDED_SLICE_H_
#define LEAT_CORE_STRIDED_SLICE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "leat/core/partial_shape.h"

namespace leat {

// Holds the mask attrs of the op. Bit i of a mask belongs to entry i of begin,
// end and strides. The comment of a mask says what kind of entry a set bit
// marks.
struct StridedSliceMasks {
  int32_t begin = 0;        // a range without begin, such as ":3"
  int32_t end = 0;          // a range without end, such as "3:"
  int32_t ellipsis = 0;     // "..."; at most one bit may be set
  int32_t new_axis = 0;     // None, which adds an axis of extent 1
  int32_t shrink_axis = 0;  // a single index, which removes its axis
};

// Holds the inputs and attrs of the op, with one entry per item between the
// brackets.
struct StridedSliceSpec {
  std::optional<Dims> begin = {};  // nothing if it is not known
  std::optional<Dims> end = {};    // nothing if it is not known
  Dims strides = {};
  StridedSliceMasks masks = {};
};

// Holds the resolved indexing, with one entry per axis of the input.
struct StridedSliceBox {
  Dims begin = {};   // in [-1, extent]; 0 where it is not known
  Dims stride = {};  // never 0, and 1 for a single index
  // Holds the extents after slicing, but before axes are added and removed.
  // There is one per axis of the input. An extent is unknown if it depends on
  // something unknown: begin, end or the input's extent.
  PartialShape processed = {};
  // Is the shape of the op's output.
  PartialShape output = {};
};

// Resolves `spec` against the shape `input`. Returns INVALID_ARGUMENT if begin,
// end and strides have different lengths or more than 31 entries, if there are
// two ellipses, or if there are more indices than axes. Also returns
// INVALID_ARGUMENT if a stride is 0, or if a single index is out of bounds or
// has a negative stride. REQUIRES: the rank of `input` is known.
absl::StatusOr<StridedSliceBox> ResolveStridedSlice(
    const StridedSliceSpec& spec, const PartialShape& input);

}  // namespace leat

#endif  // LEAT_CORE_STRIDED_SLICE_H_
