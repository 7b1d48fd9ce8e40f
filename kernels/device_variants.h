// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A variant is always in host memory. But on a GPU, the tensors that it holds
// are in the memory of the GPU if AreHeldOnGpu is true for their dtype
// (tensor_list_access.h). These functions copy the held tensors when a variant
// moves to a GPU or back to the host. They are stateless.
#ifndef LEAT_KERNELS_DEVICE_VARIANTS_H_
#define LEAT_KERNELS_DEVICE_VARIANTS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// These functions return a copy of `variants`, a tensor of variants.
// CopyVariantsToGpu copies the held tensors to the memory of the GPU on which
// the kernel runs, if AreHeldOnGpu is true for their dtype. CopyVariantsToHost
// copies all held tensors to host memory. Both queue the copies of the bytes.
// The errors are those of ReplaceTensors (variant_arithmetic.h). `new_done`
// makes the callback for each copy to the host (GpuStream::CopyToHost). If it
// returns null, the bytes have arrived when the stream's Drain is done.
absl::StatusOr<Tensor> CopyVariantsToGpu(KernelContext& context,
                                         const Tensor& variants);
absl::StatusOr<Tensor> CopyVariantsToHost(
    KernelContext& context, const Tensor& variants,
    absl::FunctionRef<GpuStream::Done()> new_done);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DEVICE_VARIANTS_H_
