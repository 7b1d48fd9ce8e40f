// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reductions over axes: any set of axes becomes steps of [outer, reduced,
// inner] -> [outer, inner], each a loop that vectorises.
#ifndef LEAT_KERNELS_REDUCTION_H_
#define LEAT_KERNELS_REDUCTION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"

namespace leat::kernels {

struct ReductionStep {
  int64_t outer = 1;
  int64_t reduced = 1;
  int64_t inner = 1;
};

struct ReductionPlan {
  Shape output = {};
  int64_t count = 1;  // elements reduced into one
  // To be done in order; none when nothing is reduced but extents of 1.
  std::vector<ReductionStep> steps = {};
};

// `axes` is an int32 or int64 tensor of rank <= 1. INVALID_ARGUMENT with
// TensorFlow's text for an axis out of range or named twice.
absl::StatusOr<ReductionPlan> PlanReduction(const Shape& input,
                                            const Tensor& axes, bool keep_dims);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_REDUCTION_H_
