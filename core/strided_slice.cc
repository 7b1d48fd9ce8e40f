// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/strided_slice.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;
// A mask has 31 bits in addition to its sign bit.
constexpr size_t kMaxEntries = 31;
constexpr int kNewAxis = -1;  // a value in Dense::gather

bool Bit(int32_t mask, int i) { return (mask >> i & 1) != 0; }

// Says how one axis of the input is sliced.
struct DenseAxis {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
  bool begin_masked = true;
  bool end_masked = true;
  bool shrink = false;
};
// Describes a StridedSliceSpec whose entries have been assigned to the axes of
// the input.
struct Dense {
  absl::InlinedVector<DenseAxis, 8> axes = {};
  // Element i is the input axis that output axis i comes from, or kNewAxis.
  absl::InlinedVector<int, 8> gather = {};
};

absl::Status CheckSpec(const StridedSliceSpec& spec) {
  const size_t entries = spec.strides.size();
  const size_t begins = spec.begin.has_value() ? spec.begin->size() : entries;
  const size_t ends = spec.end.has_value() ? spec.end->size() : entries;
  if (begins != entries || ends != entries || entries > kMaxEntries) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expected begin, end, and strides to be 1D equal size tensors of at "
        "most ",
        kMaxEntries, " elements, but got shapes [", begins, "], [", ends,
        "], and [", entries, "] instead."));
  }
  // Like TensorFlow, this also counts bits that belong to no entry.
  const auto ellipses = static_cast<uint32_t>(spec.masks.ellipsis);
  if ((ellipses & (ellipses - 1)) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Multiple ellipses in slice spec not allowed, but "
                     "ellipsis_mask is ",
                     spec.masks.ellipsis));
  }
  return absl::OkStatus();
}

int CountNewAxesAfterEllipsis(const StridedSliceSpec& spec, int entries) {
  int count = 0;
  bool seen = false;
  for (int i = 0; i < entries; ++i) {
    if (seen && Bit(spec.masks.new_axis, i)) ++count;
    if (Bit(spec.masks.ellipsis, i)) seen = true;
  }
  return count;
}

// Replaces the ellipsis by the axes that it stands for. REQUIRES: CheckSpec has
// accepted `spec`.
absl::StatusOr<Dense> MakeDense(const StridedSliceSpec& spec, int rank) {
  const int entries = static_cast<int>(spec.strides.size());
  const uint32_t entry_bits = (uint32_t{1} << entries) - 1;
  const bool has_ellipsis =
      (static_cast<uint32_t>(spec.masks.ellipsis) & entry_bits) != 0;
  const int new_after = CountNewAxesAfterEllipsis(spec, entries);
  // A specification without an ellipsis is treated as if it ended in one.
  const int sparse = entries + (has_ellipsis ? 0 : 1);
  Dense dense;
  dense.axes.resize(static_cast<size_t>(rank));
  int axis = 0;
  for (int i = 0; i < sparse; ++i) {
    if (i == entries || Bit(spec.masks.ellipsis, i)) {
      const int next = std::min(rank - (sparse - i) + 1 + new_after, rank);
      for (; axis < next; ++axis) dense.gather.push_back(axis);
    } else if (Bit(spec.masks.new_axis, i)) {
      dense.gather.push_back(kNewAxis);
    } else if (axis == rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("Index out of range using input dim ", axis,
                       "; input has only ", rank, " dims"));
    } else {
      const auto entry = static_cast<size_t>(i);
      DenseAxis& to = dense.axes[static_cast<size_t>(axis)];
      to.begin = spec.begin.has_value() ? (*spec.begin)[entry] : 0;
      to.end = spec.end.has_value() ? (*spec.end)[entry] : 0;
      to.stride = spec.strides[entry];
      to.begin_masked = Bit(spec.masks.begin, i);
      to.end_masked = Bit(spec.masks.end, i);
      to.shrink = Bit(spec.masks.shrink_axis, i);
      if (!to.shrink) dense.gather.push_back(axis);
      ++axis;
    }
  }
  return dense;
}

// Says which elements of an axis a slice takes: `begin` is the index of the
// first one, and `count` is their number.
struct Interval {
  int64_t begin = 0;
  int64_t count = kUnknown;
};

// Resolves axis `i`, whose extent is known. `bounded` says whether begin and
// end are known.
absl::StatusOr<Interval> ResolveAxis(const DenseAxis& axis, int i,
                                     int64_t extent, bool bounded) {
  const auto forward = [&](int64_t x) { return x < 0 ? extent + x : x; };
  if (!bounded) {
    if (axis.shrink) return Interval{.begin = 0, .count = 1};
    if (!axis.begin_masked || !axis.end_masked) return Interval{};
  }
  if (axis.shrink) {
    const int64_t index = forward(axis.begin);
    if (index < 0 || index >= extent) {
      return absl::InvalidArgumentError(absl::StrCat(
          "slice index ", axis.begin, " of dimension ", i, " out of bounds."));
    }
    return Interval{.begin = index, .count = 1};
  }
  const bool up = axis.stride > 0;
  const int64_t low = up ? 0 : -1;
  const int64_t high = up ? extent : extent - 1;
  const int64_t begin = axis.begin_masked
                            ? (up ? low : high)
                            : std::clamp(forward(axis.begin), low, high);
  const int64_t end = axis.end_masked
                          ? (up ? high : low)
                          : std::clamp(forward(axis.end), low, high);
  const int64_t length = end - begin;
  if (length == 0 || (length < 0) != (axis.stride < 0)) {
    return Interval{.begin = begin, .count = 0};
  }
  return Interval{
      .begin = begin,
      .count = length / axis.stride + (length % axis.stride != 0 ? 1 : 0)};
}

absl::Status CheckAxis(const DenseAxis& axis, int i, int64_t extent) {
  if (axis.stride == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("strides[", i, "] must be non-zero"));
  }
  if (extent != kUnknown && axis.shrink && axis.stride < 0) {
    return absl::InvalidArgumentError(
        "only stride 1 allowed on non-range indexing.");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StridedSliceBox> ResolveStridedSlice(
    const StridedSliceSpec& spec, const PartialShape& input) {
  LEAT_RETURN_IF_ERROR(CheckSpec(spec));
  LEAT_ASSIGN_OR_RETURN(const Dense dense, MakeDense(spec, input.rank()));
  const bool bounded = spec.begin.has_value() && spec.end.has_value();
  StridedSliceBox box;
  Dims processed;
  for (int i = 0; i < input.rank(); ++i) {
    const DenseAxis& axis = dense.axes[static_cast<size_t>(i)];
    LEAT_RETURN_IF_ERROR(CheckAxis(axis, i, input.dim(i)));
    Interval interval{.begin = 0, .count = axis.shrink ? 1 : kUnknown};
    if (input.dim_known(i)) {
      LEAT_ASSIGN_OR_RETURN(interval,
                            ResolveAxis(axis, i, input.dim(i), bounded));
    }
    box.begin.push_back(interval.begin);
    box.stride.push_back(axis.shrink ? 1 : axis.stride);
    processed.push_back(interval.count);
  }
  Dims output;
  for (const int axis : dense.gather) {
    output.push_back(axis == kNewAxis ? 1
                                      : processed[static_cast<size_t>(axis)]);
  }
  LEAT_ASSIGN_OR_RETURN(box.processed, PartialShape::Create(processed));
  LEAT_ASSIGN_OR_RETURN(box.output, PartialShape::Create(output));
  return box;
}

}  // namespace leat
