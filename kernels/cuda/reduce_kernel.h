// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReduceOnGpu runs the steps of a reduction (kernels/reduction.h) on a GPU. The
// kernels that reduce share it.
#ifndef LEAT_KERNELS_CUDA_REDUCE_KERNEL_H_
#define LEAT_KERNELS_CUDA_REDUCE_KERNEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/reduce.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/reduction.h"
#include "leat/kernels/through_float.h"

namespace leat::kernels::cuda {

// Returns the number of parts into which to split a step, so that the whole GPU
// has work. A step that combines the parts follows, so both steps should be
// short: there are at most as many parts as a part has elements. The number of
// parts depends on the sizes only.
inline int64_t PartsOf(const ReductionStep& step) {
  constexpr int64_t kWanted = 1024;  // blocks of threads
  constexpr int64_t kLeast = 64;     // elements for a thread
  const int64_t columns = std::min<int64_t>(step.inner, 32);
  const int64_t blocks = step.outer * ((step.inner - 1) / 32 + 1);
  if (blocks >= kWanted || step.reduced < 256 / columns * kLeast) return 1;
  const auto most =
      static_cast<int64_t>(std::sqrt(static_cast<double>(step.reduced)));
  return std::max<int64_t>(1, std::min(kWanted / blocks, most));
}

// Reduces `from` to `to`. With `divides`, divides the result by `divisor`.
// `plan` is the plan for the shape of `from`, and the shape of `to` is
// plan.output. `first` is the function of the first step, and `function` is the
// function of all other steps.
inline absl::Status ReduceOnGpu(KernelContext& context,
                                const ReductionPlan& plan,
                                leat::cuda::Reduction first,
                                leat::cuda::Reduction function, bool divides,
                                int64_t divisor, const Tensor& from,
                                Tensor& to) {
  std::vector<ReductionStep> steps;
  if (plan.count == 0) {
    // The result for an empty input is the identity of `function`, such as 0
    // for a sum.
    first = function;
    steps.push_back({.outer = plan.output.num_elements(), .reduced = 0});
  }
  for (const ReductionStep& step : plan.steps) {
    const int64_t parts = PartsOf(step);
    if (parts > 1) {
      // The first step computes one result per part. The second step combines
      // the results of the parts.
      steps.push_back(step);
      steps.push_back({step.outer, parts, step.inner});
    } else {
      steps.push_back(step);
    }
  }
  const DType wide =
      IsHalfOrBfloat16(from.dtype()) ? DType::kFloat : from.dtype();
  Tensor previous = from;
  for (size_t i = 0; i < steps.size(); ++i) {
    const ReductionStep& step = steps[i];
    const bool is_last = i + 1 == steps.size();
    leat::cuda::ReduceOperands operands = {
        .outer = step.outer, .reduced = step.reduced, .inner = step.inner};
    operands.parts = is_last ? 1 : PartsOf(step);
    operands.part_size = (step.reduced + operands.parts - 1) / operands.parts;
    operands.divides = divides && is_last;
    operands.divisor = divisor;
    Tensor current = to;
    if (!is_last) {
      LEAT_ASSIGN_OR_RETURN(
          const int64_t size,
          CheckedMultiply(step.outer * operands.parts, step.inner));
      LEAT_ASSIGN_OR_RETURN(current,
                            context.AllocateTemporary(wide, Shape{size}));
    }
    operands.from = previous.raw_data();
    operands.to = current.mutable_raw_data();
    LEAT_RETURN_IF_ERROR(OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchReduce(stream, i == 0 ? first : function,
                                      TypeOf(previous), TypeOf(current),
                                      operands);
    }));
    previous = std::move(current);
  }
  return absl::OkStatus();
}

}  // namespace leat::kernels::cuda

#endif  // LEAT_KERNELS_CUDA_REDUCE_KERNEL_H_
