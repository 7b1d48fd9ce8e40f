// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/arg_reduction_plan.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {

namespace {

absl::StatusOr<int> GetAxis(const KernelContext& context) {
  const Shape& shape = context.input(0).shape();
  LEAT_ASSIGN_OR_RETURN(const Dims axes,
                        GetIndices(context.input(1), "dimension"));
  if (context.input(1).rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("dim must be a scalar, but received tensor of shape: ",
                     context.input(1).shape().DebugString()));
  }
  const int rank = shape.rank();
  if (axes[0] < -rank || axes[0] >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected dimension in the range [", -rank, ", ", rank,
                     "), but got ", axes[0]));
  }
  const int axis = static_cast<int>(axes[0] < 0 ? axes[0] + rank : axes[0]);
  if (shape.dim(axis) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("Reduction axis ", axes[0],
                                                   " is empty in shape ",
                                                   shape.DebugString()));
  }
  return axis;
}

}  // namespace

absl::StatusOr<ArgReductionPlan> PlanArgReduction(
    const KernelContext& context) {
  const Shape& input = context.input(0).shape();
  LEAT_ASSIGN_OR_RETURN(const int axis, GetAxis(context));
  Dims dims;
  for (int i = 0; i < input.rank(); ++i) {
    if (i != axis) dims.push_back(input.dim(i));
  }
  ArgReductionPlan plan;
  LEAT_ASSIGN_OR_RETURN(plan.output, Shape::Create(dims));
  if (plan.output.num_elements() == 0) return plan;
  plan.step.reduced = input.dim(axis);
  for (int i = 0; i < input.rank(); ++i) {
    if (i < axis) plan.step.outer *= input.dim(i);
    if (i > axis) plan.step.inner *= input.dim(i);
  }
  return plan;
}

}  // namespace leat::kernels
