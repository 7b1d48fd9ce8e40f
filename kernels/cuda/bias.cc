// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of BiasAdd and BiasAddGrad.
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/bias_and_activation.h"
#include "leat/kernels/cuda/reduce_kernel.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::bias {
namespace {

class BiasAdd final : public Kernel {
 public:
  explicit BiasAdd(bool nchw) : nchw_(nchw) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& value = context.input(0);
    const Tensor& bias = context.input(1);
    LEAT_ASSIGN_OR_RETURN(const Channels c, BiasChannels(context, nchw_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, value.shape()));
    return AddBias(*StreamOf(context), c, value, bias, *output);
  }

 private:
  const bool nchw_;
};

class BiasAddGrad final : public Kernel {
 public:
  explicit BiasAddGrad(bool nchw) : nchw_(nchw) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& backprop = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Channels c,
                          FindChannels(backprop.shape(), nchw_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, Shape{c.count}));
    if (c.count == 0) return absl::OkStatus();
    ReductionPlan plan;
    plan.output = output->shape();
    plan.count = backprop.num_elements();
    if (c.inner > 1) {
      plan.steps.push_back({.outer = c.outer * c.count, .reduced = c.inner});
    }
    plan.steps.push_back({.reduced = c.outer, .inner = c.count});
    if (plan.count == 0) plan.steps.clear();
    return ReduceOnGpu(context, plan, leat::cuda::Reduction::kSum,
                       leat::cuda::Reduction::kSum, /*divides=*/false,
                       /*divisor=*/1, backprop, *output);
  }

 private:
  const bool nchw_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBias(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool nchw, IsNchw(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(nchw));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("BiasAdd", kGpu, &MakeBias<BiasAdd>);
  registry.Add("BiasAddGrad", kGpu, &MakeBias<BiasAddGrad>);
}

}  // namespace leat::kernels::cuda::bias
