// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of InTopK and InTopKV2.

#include "leat/kernels/cuda/device/in_top_k.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/in_top_k_kernel.h"
#include "leat/kernels/shapes/in_top_k_shapes.h"

namespace leat::kernels::cuda::in_top_k {
namespace {

absl::Status ComputeInTopK(KernelContext& context, int64_t k) {
  const Tensor& predictions = context.input(0);
  const Tensor& targets = context.input(1);
  LEAT_RETURN_IF_ERROR(CheckInTopKShapes(context));
  const int64_t rows = predictions.dim(0);
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, Shape{rows}));
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchInTopK(
        stream, TypeOf(targets),
        {.predictions = reinterpret_cast<const float*>(predictions.raw_data()),
         .targets = targets.raw_data(),
         .to = reinterpret_cast<bool*>(output->mutable_raw_data()),
         .rows = rows,
         .classes = predictions.dim(1),
         .k = k});
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  AddInTopK<&ComputeInTopK>(registry, kGpu);
}

}  // namespace leat::kernels::cuda::in_top_k
