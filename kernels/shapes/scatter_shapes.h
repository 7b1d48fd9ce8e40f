// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions check the shapes of the ops that scatter rows. The kernels
// for all devices share them. All errors are INVALID_ARGUMENT.
#ifndef LEAT_KERNELS_SHAPES_SCATTER_SHAPES_H_
#define LEAT_KERNELS_SHAPES_SCATTER_SHAPES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns an error unless the indices and the updates fit an output of the
// given shape.
absl::Status CheckScatterNd(const Tensor& indices, const Tensor& updates,
                            const Shape& output);

// Returns the shape of the output of ScatterNd, which is the value of input 2.
// Returns an error unless the indices (input 0) and the updates (input 1) fit
// it.
absl::StatusOr<Shape> ScatterNdShape(const KernelContext& context);

// Returns an error unless `updates` is a scalar or has the dimensions of
// `indices` followed by those of a row of `params`.
absl::Status CheckScatterUpdates(const Shape& params, const Shape& indices,
                                 const Shape& updates);

// The data have the shape [rows, inner], the ids have the shape [rows], and the
// output has the shape [segments, inner]. Is a value type.
struct SegmentPlan {
  int64_t segments = 0;
  int64_t inner = 1;
  Shape output = {};
};
// Plans UnsortedSegmentSum. Input 2 is the number of segments.
absl::StatusOr<SegmentPlan> PlanSegments(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_SCATTER_SHAPES_H_
