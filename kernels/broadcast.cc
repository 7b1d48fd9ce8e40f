// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/broadcast.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

// Returns the strides of `operand` along the dimensions of `result`: 0 where
// `operand` is stretched.
Dims AlignedStrides(const Shape& operand, const Shape& result) {
  const Dims own = operand.Strides();
  const int missing = result.rank() - operand.rank();
  Dims strides(result.rank(), 0);
  for (int i = missing; i < result.rank(); ++i) {
    if (operand.dim(i - missing) != 1) strides[i] = own[i - missing];
  }
  return strides;
}

// Makes a plan from the operands' strides along the dimensions of `shape`.
// Drops dimensions of extent 1. Merges a dimension into the previous one if, in
// every operand, one stride covers both.
template <int N>
BroadcastPlan<N> Merge(Shape shape, const std::array<Dims, N>& aligned) {
  BroadcastPlan<N> plan;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 1) continue;
    bool merges = !plan.extents.empty();
    for (int i = 0; merges && i < N; ++i) {
      merges = plan.strides[i].back() == aligned[i][d] * shape.dim(d);
    }
    if (merges) {
      plan.extents.back() *= shape.dim(d);
      for (int i = 0; i < N; ++i) plan.strides[i].back() = aligned[i][d];
    } else {
      plan.extents.push_back(shape.dim(d));
      for (int i = 0; i < N; ++i) plan.strides[i].push_back(aligned[i][d]);
    }
  }
  if (plan.extents.empty()) {
    plan.extents.push_back(1);
    for (int i = 0; i < N; ++i) plan.strides[i].push_back(1);
  }
  plan.shape = std::move(shape);
  return plan;
}

}  // namespace

absl::StatusOr<BroadcastPlan<2>> PlanBroadcast(const Shape& a, const Shape& b) {
  LEAT_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(a, b));
  return Merge<2>(shape, {AlignedStrides(a, shape), AlignedStrides(b, shape)});
}

absl::StatusOr<BroadcastPlan<3>> PlanBroadcast(const Shape& a, const Shape& b,
                                               const Shape& c) {
  LEAT_ASSIGN_OR_RETURN(Shape two, BroadcastShapes(b, c));
  LEAT_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(a, two));
  return Merge<3>(shape, {AlignedStrides(a, shape), AlignedStrides(b, shape),
                          AlignedStrides(c, shape)});
}

absl::StatusOr<BroadcastPlan<1>> PlanBroadcastTo(const Shape& from,
                                                 const Shape& to) {
  const auto both = BroadcastShapes(from, to);
  if (!both.ok() || *both != to) {
    return absl::InvalidArgumentError(
        absl::StrCat("Incompatible shapes: ", from.DebugString(), " vs. ",
                     to.DebugString()));
  }
  return Merge<1>(to, {AlignedStrides(from, to)});
}

BroadcastPlan<1> PlanStrided(const Shape& shape, const Dims& strides) {
  return Merge<1>(shape, {strides});
}

BroadcastPlan<2> PlanStrided(const Shape& shape, const Dims& a, const Dims& b) {
  return Merge<2>(shape, {a, b});
}

}  // namespace leat::kernels
