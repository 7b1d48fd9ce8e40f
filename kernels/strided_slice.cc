// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/strided_slice.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

// The slice of one dimension of the input. By default it is the whole
// dimension.
struct AxisSlice {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
  bool whole_begin = true;
  bool whole_end = true;
  bool shrinks = false;
};

// The entry of DenseSpec::sources for a new dimension of the result.
constexpr int kNewAxis = -1;

// The slice with one entry per dimension of the input.
struct DenseSpec {
  absl::InlinedVector<AxisSlice, 4> axes = {};
  // For each dimension of the result, the entry of `axes` that its extent comes
  // from, or kNewAxis.
  absl::InlinedVector<int, 4> sources = {};
};

bool Bit(int64_t mask, int i) { return ((mask >> i) & 1) != 0; }

// Converts the form of StridedSlice to a DenseSpec for an input of rank `rank`.
// In the form of StridedSlice, `begin`, `end` and `strides` have one element
// per item of x[...].
absl::StatusOr<DenseSpec> Densify(int rank, const Dims& begin, const Dims& end,
                                  const Dims& strides,
                                  const StridedSliceMasks& masks) {
  const int given = static_cast<int>(begin.size());
  int ellipsis = given;  // the implicit one at the end, if none is given
  int consuming = 0;     // items that stand for one dimension of the input
  for (int i = 0; i < given; ++i) {
    if (Bit(masks.ellipsis, i)) {
      if (ellipsis != given) {
        return absl::InvalidArgumentError(
            "Multiple ellipses in slice spec not allowed");
      }
      ellipsis = i;
    } else if (!Bit(masks.new_axis, i)) {
      ++consuming;
    }
  }
  DenseSpec spec;
  const auto take_whole = [&] {
    for (int left = rank - consuming; left > 0; --left) {
      spec.sources.push_back(static_cast<int>(spec.axes.size()));
      spec.axes.push_back(AxisSlice());
    }
  };
  for (int i = 0; i < given; ++i) {
    if (i == ellipsis) {
      take_whole();
    } else if (Bit(masks.new_axis, i)) {
      spec.sources.push_back(kNewAxis);
    } else {
      if (static_cast<int>(spec.axes.size()) == rank) {
        return absl::InvalidArgumentError(
            absl::StrCat("Index out of range using input dim ", rank,
                         "; input has only ", rank, " dims"));
      }
      AxisSlice axis;
      axis.begin = begin[i];
      axis.end = end[i];
      axis.stride = strides[i];
      axis.whole_begin = Bit(masks.begin, i);
      axis.whole_end = Bit(masks.end, i);
      axis.shrinks = Bit(masks.shrink_axis, i);
      if (!axis.shrinks) {
        spec.sources.push_back(static_cast<int>(spec.axes.size()));
      }
      spec.axes.push_back(axis);
    }
  }
  if (ellipsis == given) take_whole();
  return spec;
}

// Returns `index` counted from the start. A negative `index` is counted from
// the end. The sum cannot overflow, since its terms have different signs.
int64_t FromEnd(int64_t index, int64_t extent) {
  return index < 0 ? index + extent : index;
}

// Replaces the bounds in `axis` by bounds inside of [-1, extent], and returns
// how many indices are taken. `i` is the dimension's number, for messages.
absl::StatusOr<int64_t> Resolve(AxisSlice& axis, int i, int64_t extent) {
  if (axis.stride == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("strides[", i, "] must be non-zero"));
  }
  if (axis.shrinks) {
    if (axis.stride < 0) {
      return absl::InvalidArgumentError(
          "only stride 1 allowed on non-range indexing.");
    }
    const int64_t index = FromEnd(axis.begin, extent);
    if (index < 0 || index >= extent) {
      return absl::InvalidArgumentError(absl::StrCat(
          "slice index ", axis.begin, " of dimension ", i, " out of bounds."));
    }
    axis.begin = index;
    axis.stride = 1;
    return 1;
  }
  const bool forward = axis.stride > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? extent : extent - 1;
  axis.begin = axis.whole_begin
                   ? (forward ? low : high)
                   : std::clamp(FromEnd(axis.begin, extent), low, high);
  axis.end = axis.whole_end ? (forward ? high : low)
                            : std::clamp(FromEnd(axis.end, extent), low, high);
  const int64_t length = axis.end - axis.begin;
  if (length == 0 || (length < 0) == forward) return 0;
  return length / axis.stride + (length % axis.stride != 0 ? 1 : 0);
}

}  // namespace

absl::StatusOr<StridedSliceMasks> StridedSliceMasks::FromAttrs(
    const AttrMap& attrs) {
  StridedSliceMasks masks;
  LEAT_ASSIGN_OR_RETURN(masks.begin, attrs.GetOr<int64_t>("begin_mask", 0));
  LEAT_ASSIGN_OR_RETURN(masks.end, attrs.GetOr<int64_t>("end_mask", 0));
  LEAT_ASSIGN_OR_RETURN(masks.ellipsis,
                        attrs.GetOr<int64_t>("ellipsis_mask", 0));
  LEAT_ASSIGN_OR_RETURN(masks.new_axis,
                        attrs.GetOr<int64_t>("new_axis_mask", 0));
  LEAT_ASSIGN_OR_RETURN(masks.shrink_axis,
                        attrs.GetOr<int64_t>("shrink_axis_mask", 0));
  return masks;
}

bool StridedSlicePlan::IsRowRange(const Shape& input) const {
  for (int i = 0; i < input.rank(); ++i) {
    if (strides[i] != 1) return false;
    if (i > 0 && box.dim(i) != input.dim(i)) return false;
  }
  return input.rank() > 0;
}

absl::StatusOr<StridedSlicePlan> PlanStridedSlice(
    const Shape& input, const Dims& begin, const Dims& end, const Dims& strides,
    const StridedSliceMasks& masks) {
  if (begin.size() != end.size() || begin.size() != strides.size() ||
      begin.size() >= 32) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expected begin, end, and strides to be 1D equal size tensors of at "
        "most 31 elements, but got shapes [",
        begin.size(), "], [", end.size(), "], and [", strides.size(),
        "] instead."));
  }
  LEAT_ASSIGN_OR_RETURN(DenseSpec spec,
                        Densify(input.rank(), begin, end, strides, masks));
  StridedSlicePlan plan;
  Dims box;
  for (int i = 0; i < input.rank(); ++i) {
    AxisSlice& axis = spec.axes[i];
    LEAT_ASSIGN_OR_RETURN(const int64_t extent, Resolve(axis, i, input.dim(i)));
    box.push_back(extent);
    plan.begin.push_back(axis.begin);
    plan.strides.push_back(axis.stride);
  }
  Dims result;
  for (const int source : spec.sources) {
    result.push_back(source == kNewAxis ? 1 : box[source]);
  }
  LEAT_ASSIGN_OR_RETURN(plan.box, Shape::Create(box));
  LEAT_ASSIGN_OR_RETURN(plan.result, Shape::Create(result));
  return plan;
}

}  // namespace leat::kernels
