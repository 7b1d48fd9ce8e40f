// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions plan loops over operands of different shapes, by the
// broadcasting rules of NumPy and TensorFlow. They merge neighbouring
// dimensions if every operand can step through both with one stride. So most
// cases need only one or two nested loops, and the innermost loop runs over
// adjacent elements.
//
//   LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan,
//                         PlanBroadcast(a.shape(), b.shape()));
//   plan.ForEachRow(0, plan.num_rows(),
//                   [&](const std::array<int64_t, 2>& offsets) { ... });
#ifndef LEAT_KERNELS_BROADCAST_H_
#define LEAT_KERNELS_BROADCAST_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"

namespace leat::kernels {

// Describes the merged iteration space of N operands. Is a value type.
template <int N>
struct BroadcastPlan {
  Shape shape = {};  // shape of the result
  // Holds the extents of the merged dimensions, in row-major order. There is at
  // least one.
  Dims extents = {};
  // Holds, for each operand and merged dimension, the distance from one index
  // to the next, in elements. The distance is 0 where the operand is stretched.
  // The last stride of an operand is 0 or 1, except in a plan of PlanStrided.
  std::array<Dims, N> strides = {};

  // A row is all elements along the last merged dimension.
  int64_t row_size() const { return extents.back(); }
  int64_t num_rows() const {
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < extents.size(); ++i) rows *= extents[i];
    return rows;
  }

  // Calls `row(offsets)` for each of the rows [begin, end) of the result, in
  // order. `offsets` is a std::array<int64_t, N> with the position at which the
  // row starts in each operand, in elements. REQUIRES: the result has elements.
  template <class Row>
  void ForEachRow(int64_t begin, int64_t end, Row row) const;
};

// These functions plan the broadcast of two or three operands to their common
// shape. They return INVALID_ARGUMENT with TensorFlow's text if the shapes do
// not fit.
absl::StatusOr<BroadcastPlan<2>> PlanBroadcast(const Shape& a, const Shape& b);
absl::StatusOr<BroadcastPlan<3>> PlanBroadcast(const Shape& a, const Shape& b,
                                               const Shape& c);
// Plans the broadcast of one operand to the shape `to`. Returns
// INVALID_ARGUMENT if `from` cannot be stretched to exactly that shape.
absl::StatusOr<BroadcastPlan<1>> PlanBroadcastTo(const Shape& from,
                                                 const Shape& to);

// Plans a loop over a view of shape `shape`. `strides` has the stride of each
// dimension, in elements. Strides may be negative. The last stride of the plan
// may be any number. REQUIRES: there is one stride per dimension.
BroadcastPlan<1> PlanStrided(const Shape& shape, const Dims& strides);
// Plans a loop over two such views of the same shape. `a` and `b` are their
// strides.
BroadcastPlan<2> PlanStrided(const Shape& shape, const Dims& a, const Dims& b);

// ---------------------------------------------------------------------------

template <int N>
template <class Row>
void BroadcastPlan<N>::ForEachRow(int64_t begin, int64_t end, Row row) const {
  // `index` is the position of the row in the outer dimensions. It counts up
  // like an odometer, and the offsets follow it.
  const int outer = static_cast<int>(extents.size()) - 1;
  Dims index(outer, 0);
  std::array<int64_t, N> offsets = {};
  int64_t rest = begin;
  for (int d = outer - 1; d >= 0; --d) {
    index[d] = rest % extents[d];
    rest /= extents[d];
    for (int i = 0; i < N; ++i) offsets[i] += index[d] * strides[i][d];
  }
  for (int64_t r = begin; r < end; ++r) {
    row(offsets);
    for (int d = outer - 1; d >= 0; --d) {
      for (int i = 0; i < N; ++i) offsets[i] += strides[i][d];
      if (++index[d] < extents[d]) break;
      for (int i = 0; i < N; ++i) offsets[i] -= strides[i][d] * extents[d];
      index[d] = 0;
    }
  }
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_BROADCAST_H_
