// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddBias and Activate apply a bias and an activation to a product or a
// convolution on a GPU, if the GPU's library has not applied them. BiasAdd and
// the fused kernels share these functions.
#ifndef LEAT_KERNELS_CUDA_BIAS_AND_ACTIVATION_H_
#define LEAT_KERNELS_CUDA_BIAS_AND_ACTIVATION_H_

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/binary.h"
#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/epilogue.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/shapes/bias_channels.h"

namespace leat::kernels::cuda {

// Queues output = value + bias. `output` may be `value`. REQUIRES: `c`
// describes the channels of `value`, and `bias` has one element per channel.
inline absl::Status AddBias(GpuStream& stream, const Channels& c,
                            const Tensor& value, const Tensor& bias,
                            Tensor& output) {
  if (output.num_elements() == 0) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      const BroadcastPlan<2> plan,
      PlanBroadcast(Shape{c.outer, c.count, c.inner}, Shape{c.count, 1}));
  LEAT_ASSIGN_OR_RETURN(const auto map, MapOf(plan));
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchArithmetic(handle, leat::cuda::Arithmetic::kAdd,
                                        TypeOf(value),
                                        {.a = value.raw_data(),
                                         .b = bias.raw_data(),
                                         .output = output.mutable_raw_data(),
                                         .n = value.num_elements(),
                                         .map = &map});
  });
}

// Returns the unary function that computes an activation. REQUIRES: activation
// != kNone.
inline leat::cuda::Unary UnaryOf(Activation activation) {
  using leat::cuda::Unary;
  switch (activation) {
    case Activation::kNone:
    case Activation::kRelu:
      return Unary::kRelu;
    case Activation::kRelu6:
      return Unary::kRelu6;
    case Activation::kElu:
      return Unary::kElu;
    case Activation::kLeakyRelu:
      return Unary::kLeakyRelu;
    case Activation::kTanh:
      return Unary::kTanh;
    case Activation::kSigmoid:
      return Unary::kSigmoid;
    case Activation::kGeluExact:
      return Unary::kGeluExact;
    case Activation::kGeluApproximate:
      return Unary::kGeluApproximate;
  }
  return Unary::kRelu;
}

// Applies the activation to each element of `value` in place. Queues the work.
inline absl::Status Activate(GpuStream& stream, const FusedOps& ops,
                             Tensor& value) {
  if (ops.activation == Activation::kNone) return absl::OkStatus();
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchUnary(
        handle, UnaryOf(ops.activation), TypeOf(value),
        {value.raw_data(), value.mutable_raw_data(), value.num_elements()},
        ops.leakyrelu_alpha);
  });
}

}  // namespace leat::kernels::cuda

#endif  // LEAT_KERNELS_CUDA_BIAS_AND_ACTIVATION_H_
