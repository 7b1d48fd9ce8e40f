// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of Sum, Mean, Prod, Max, Min, All, Any, L2Loss,
// ArgMax and ArgMin.
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/arg_reduce.h"
#include "leat/kernels/cuda/reduce_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/arg_reduction_plan.h"

namespace leat::kernels::cuda::reduction {
namespace {

using Function = leat::cuda::Reduction;

template <Function function, bool is_mean>
class Reduction final : public Kernel {
 public:
  explicit Reduction(bool keep_dims) : keep_dims_(keep_dims) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(
        const ReductionPlan plan,
        PlanReduction(input.shape(), context.input(1), keep_dims_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.output));
    if (output->num_elements() == 0) return absl::OkStatus();
    if (plan.count != 0 && plan.steps.empty()) {
      return context.step().device->gpu_stream()->CopyOnDevice(
          output->mutable_raw_data(), input.raw_data(),
          static_cast<size_t>(input.num_bytes()));
    }
    return ReduceOnGpu(context, plan, function, function, is_mean, plan.count,
                       input, *output);
  }

 private:
  const bool keep_dims_;
};

template <Function function, bool is_mean = false>
absl::StatusOr<std::unique_ptr<Kernel>> MakeReduction(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool keep_dims,
                        node.attrs.GetOr<bool>("keep_dims", false));
  return std::unique_ptr<Kernel>(
      std::make_unique<Reduction<function, is_mean>>(keep_dims));
}

// Computes half the sum of the squares.
absl::Status ComputeL2Loss(KernelContext& context) {
  const Tensor& input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, Shape{}));
  const int64_t n = input.num_elements();
  ReductionPlan plan;
  plan.count = n;
  // The squares of 16-bit floats are added up in float. A second step rounds
  // the sum.
  if (n > 0) plan.steps = {{.reduced = n}, {.reduced = 1}};
  return ReduceOnGpu(context, plan, Function::kSumOfSquares, Function::kSum,
                     /*divides=*/true, /*divisor=*/2, input, *output);
}

template <bool largest>
absl::Status ComputeArgReduction(KernelContext& context) {
  const Tensor& input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const ArgReductionPlan plan, PlanArgReduction(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, plan.output));
  if (output->num_elements() == 0) return absl::OkStatus();
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchArgReduce(
        stream, TypeOf(input), largest, input.raw_data(), plan.step.outer,
        plan.step.reduced, plan.step.inner, output->mutable_raw_data(),
        static_cast<int>(SizeOf(output->dtype())));
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Sum", kGpu, &MakeReduction<Function::kSum>);
  registry.Add("Mean", kGpu, &MakeReduction<Function::kSum, true>);
  registry.Add("Prod", kGpu, &MakeReduction<Function::kProd>);
  registry.Add("Max", kGpu, &MakeReduction<Function::kMax>);
  registry.Add("Min", kGpu, &MakeReduction<Function::kMin>);
  registry.Add("All", kGpu, &MakeReduction<Function::kAll>);
  registry.Add("Any", kGpu, &MakeReduction<Function::kAny>);
  registry.Add("L2Loss", kGpu, &MakeFunction<&ComputeL2Loss>);
  registry.Add("ArgMax", kGpu, &MakeFunction<&ComputeArgReduction<true>>);
  registry.Add("ArgMin", kGpu, &MakeFunction<&ComputeArgReduction<false>>);
}

}  // namespace leat::kernels::cuda::reduction
