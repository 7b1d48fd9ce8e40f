// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernel of ClipByValue, which limits elements to a range.
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/clip_shapes.h"

namespace leat::kernels::cuda::clip {
namespace {

absl::Status ClipByValue(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& low = context.input(1);
  const Tensor& high = context.input(2);
  LEAT_RETURN_IF_ERROR(CheckClipShapes(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.ForwardOrAllocate({0}, 0, input.shape()));
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchClip(stream, TypeOf(input),
                                  {.from = input.raw_data(),
                                   .low = low.raw_data(),
                                   .high = high.raw_data(),
                                   .to = output->mutable_raw_data(),
                                   .n = input.num_elements(),
                                   .low_step = !low.shape().IsScalar(),
                                   .high_step = !high.shape().IsScalar()});
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ClipByValue", kGpu, &MakeFunction<&ClipByValue>);
}

}  // namespace leat::kernels::cuda::clip
