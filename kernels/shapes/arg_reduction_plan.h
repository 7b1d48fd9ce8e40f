// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanArgReduction plans ArgMax and ArgMin for the kernels of all devices.
#ifndef LEAT_KERNELS_SHAPES_ARG_REDUCTION_PLAN_H_
#define LEAT_KERNELS_SHAPES_ARG_REDUCTION_PLAN_H_

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/reduction.h"

namespace leat::kernels {

// A value type.
struct ArgReductionPlan {
  Shape output = {};
  // Holds the extents of the reduction. They are all 1 if the output is empty.
  ReductionStep step = {};
};

// Plans the search in input 0 along the axis in input 1. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if there is no such axis, or if the
// axis has no elements.
absl::StatusOr<ArgReductionPlan> PlanArgReduction(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_ARG_REDUCTION_PLAN_H_
