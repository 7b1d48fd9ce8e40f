// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// UnaryOnGpu and BinaryOnGpu are the classes of element-wise kernels for GPUs.
// UnaryKernel and BinaryKernel (kernels/elementwise.h) are the classes for
// CPUs. An op adds only a function that launches its elements.
#ifndef LEAT_KERNELS_CUDA_ELEMENTWISE_KERNEL_H_
#define LEAT_KERNELS_CUDA_ELEMENTWISE_KERNEL_H_

#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel.h"

namespace leat::kernels::cuda {

// Launches a function of each element of `from`. `to` has as many elements.
using UnaryLaunch = bool (*)(CUstream_st* stream, const Tensor& from,
                             Tensor& to, float alpha);

// Is immutable, so thread-safe. `alpha` is a parameter of the function.
class UnaryOnGpu final : public Kernel {
 public:
  explicit UnaryOnGpu(UnaryLaunch launch, float alpha = 0)
      : launch_(launch), alpha_(alpha) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    return OnStream(context, [&](CUstream_st* stream) {
      return launch_(stream, input, *output, alpha_);
    });
  }

 private:
  const UnaryLaunch launch_;
  const float alpha_;
};

// Launches a function of each pair of elements. The operands have the type
// `type`.
using BinaryLaunch = bool (*)(CUstream_st* stream, leat::cuda::ElementType type,
                              const leat::cuda::BinaryOperands& operands,
                              float alpha);

// Computes output 0 of inputs 0 and 1, which are broadcast to a common shape as
// in NumPy. Returns INVALID_ARGUMENT if the shapes do not fit.
inline absl::Status ComputeBinary(KernelContext& context, BinaryLaunch launch,
                                  float alpha) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan,
                        PlanBroadcast(a.shape(), b.shape()));
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.ForwardOrAllocate({0, 1}, 0, plan.shape));
  if (plan.shape.num_elements() == 0) return absl::OkStatus();
  leat::cuda::BinaryOperands operands = {a.raw_data(), b.raw_data(),
                                         output->mutable_raw_data(),
                                         plan.shape.num_elements()};
  leat::cuda::IndexMap<2> map;
  if (plan.extents.size() == 1) {
    operands.a_step = plan.strides[0][0];
    operands.b_step = plan.strides[1][0];
  } else {
    LEAT_ASSIGN_OR_RETURN(map, MapOf(plan));
    operands.map = &map;
  }
  return OnStream(context, [&](CUstream_st* stream) {
    return launch(stream, TypeOf(a), operands, alpha);
  });
}

// Is immutable, so thread-safe.
class BinaryOnGpu final : public Kernel {
 public:
  // Returns OK if the shapes of inputs 0 and 1 may be combined.
  using CheckShapes = absl::Status (*)(const KernelContext& context);

  // `check` may be null. `alpha` is a parameter of the function.
  explicit BinaryOnGpu(BinaryLaunch launch, CheckShapes check = nullptr,
                       float alpha = 0)
      : launch_(launch), check_(check), alpha_(alpha) {}

  absl::Status Compute(KernelContext& context) const final {
    if (check_ != nullptr) LEAT_RETURN_IF_ERROR(check_(context));
    return ComputeBinary(context, launch_, alpha_);
  }

 private:
  const BinaryLaunch launch_;
  const CheckShapes check_;
  const float alpha_;
};

}  // namespace leat::kernels::cuda

#endif  // LEAT_KERNELS_CUDA_ELEMENTWISE_KERNEL_H_
