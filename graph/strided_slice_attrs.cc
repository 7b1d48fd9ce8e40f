// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/strided_slice_attrs.h"

#include "leat/core/status_macros.h"

namespace leat {

absl::StatusOr<StridedSliceMasks> ReadStridedSliceMasks(const AttrMap& attrs) {
  StridedSliceMasks masks;
  LEAT_ASSIGN_OR_RETURN(masks.begin, attrs.GetInt32("begin_mask"));
  LEAT_ASSIGN_OR_RETURN(masks.end, attrs.GetInt32("end_mask"));
  LEAT_ASSIGN_OR_RETURN(masks.ellipsis, attrs.GetInt32("ellipsis_mask"));
  LEAT_ASSIGN_OR_RETURN(masks.new_axis, attrs.GetInt32("new_axis_mask"));
  LEAT_ASSIGN_OR_RETURN(masks.shrink_axis, attrs.GetInt32("shrink_axis_mask"));
  return masks;
}

}  // namespace leat
