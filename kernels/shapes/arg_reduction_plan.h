// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The shapes of ArgMax and ArgMin, which their kernels for all devices share.
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
  // What is reduced. Its extents count only if the output has elements.
  ReductionStep step = {};
};

// Plans the search along the axis that input 1 names in the shape of input 0.
// Returns INVALID_ARGUMENT, with TensorFlow's text, if there is no such axis,
// or if it has no elements.
absl::StatusOr<ArgReductionPlan> PlanArgReduction(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_ARG_REDUCTION_PLAN_H_
