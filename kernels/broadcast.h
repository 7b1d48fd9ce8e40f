// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Broadcasting: how operands of different shapes line up, as NumPy and
// TensorFlow do it. Adjacent dimensions that all operands walk alike are
// merged, so that most cases end as one or two loops with a contiguous inner
// one.
#ifndef LEAT_KERNELS_BROADCAST_H_
#define LEAT_KERNELS_BROADCAST_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"

namespace leat::kernels {

// The merged iteration space of N operands; a value type.
template <int N>
struct BroadcastPlan {
  Shape shape = {};   // of the result
  Dims extents = {};  // merged, at least one; row-major over the result
  // Elements from one index to the next, per operand and merged dimension; 0
  // where the operand stretches. The last ones are 0 or 1.
  std::array<Dims, N> strides = {};

  int64_t row_size() const { return extents.back(); }
  int64_t num_rows() const {
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < extents.size(); ++i) rows *= extents[i];
    return rows;
  }

  // Calls `row(offsets)` for rows [begin, end) of the result, in order, with
  // where the row starts in each operand, in elements.
  template <class Row>
  void ForEachRow(int64_t begin, int64_t end, Row row) const;
};

// INVALID_ARGUMENT with TensorFlow's text when the shapes do not fit.
absl::StatusOr<BroadcastPlan<2>> PlanBroadcast(const Shape& a, const Shape& b);
absl::StatusOr<BroadcastPlan<3>> PlanBroadcast(const Shape& a, const Shape& b,
                                               const Shape& c);
// One operand stretched to a given shape.
absl::StatusOr<BroadcastPlan<1>> PlanBroadcastTo(const Shape& from,
                                                 const Shape& to);

// A view with these strides (of any sign) as a plan over `shape`, merged; the
// last strides may then be anything. REQUIRES: one stride per dimension.
BroadcastPlan<1> PlanStrided(const Shape& shape, const Dims& strides);

// ---------------------------------------------------------------------------

template <int N>
template <class Row>
void BroadcastPlan<N>::ForEachRow(int64_t begin, int64_t end, Row row) const {
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
