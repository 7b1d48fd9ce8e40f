// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the attrs of StridedSlice and StridedSliceGrad, for their shape
// functions and their kernels.
#ifndef LEAT_GRAPH_STRIDED_SLICE_ATTRS_H_
#define LEAT_GRAPH_STRIDED_SLICE_ATTRS_H_

#include "absl/status/statusor.h"
#include "leat/core/strided_slice.h"
#include "leat/graph/attr.h"

namespace leat {

// Reads begin_mask, end_mask, ellipsis_mask, new_axis_mask and
// shrink_axis_mask. Fails with INVALID_ARGUMENT if one is absent or does not
// fit an int32.
absl::StatusOr<StridedSliceMasks> ReadStridedSliceMasks(const AttrMap& attrs);

}  // namespace leat

#endif  // LEAT_GRAPH_STRIDED_SLICE_ATTRS_H_
