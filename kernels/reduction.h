// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// PlanReduction plans reductions such as Sum or Max over any set of axes. A
// reduction consists of steps. Each step reduces [outer, reduced, inner] to
// [outer, inner], in a simple loop that the compiler vectorises.
#ifndef LEAT_KERNELS_REDUCTION_H_
#define LEAT_KERNELS_REDUCTION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/core/tensor.h"

namespace leat::kernels {

// Describes one step. It turns an operand of shape [outer, reduced, inner] into
// a result of shape [outer, inner].
struct ReductionStep {
  int64_t outer = 1;
  int64_t reduced = 1;
  int64_t inner = 1;
};

// Describes the steps of one reduction. Is a value type.
struct ReductionPlan {
  Shape output = {};  // shape of the op's output
  int64_t count = 1;  // how many elements are reduced into one
  // Holds the steps in the order of execution. Each step reduces the result of
  // the previous one. There are none if only dimensions of extent 1 are
  // reduced, or if the input is empty.
  std::vector<ReductionStep> steps = {};
};

// Plans the reduction of a tensor of shape `input` over `axes`, an int32 or
// int64 tensor of rank 0 or 1. A negative axis counts from the end. With
// `keep_dims`, the reduced dimensions stay in the output with extent 1. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if an axis is out of range or given
// twice.
absl::StatusOr<ReductionPlan> PlanReduction(const Shape& input,
                                            const Tensor& axes, bool keep_dims);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_REDUCTION_H_
