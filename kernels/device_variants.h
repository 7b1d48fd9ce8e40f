// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A variant lies in memory of the host, but the tensors that it holds lie where
// the device of its kernels has tensors: on a GPU, in the memory of the GPU, if
// they are numbers, and not int32. These functions copy the tensors where a
// variant comes to a GPU, or leaves it. Stateless.
#ifndef LEAT_KERNELS_DEVICE_VARIANTS_H_
#define LEAT_KERNELS_DEVICE_VARIANTS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Return a copy of `variants`, a tensor of variants, whose tensors are those of
// `variants` in the memory of the GPU on which the kernel runs, or in memory of
// the host. The copies are queued. Fail as ReplaceTensors does
// (variant_arithmetic.h). `new_done` makes the callback of each copy to the
// host (GpuStream::CopyToHost), or null: then the bytes have arrived when the
// stream's Drain is done.
absl::StatusOr<Tensor> CopyVariantsToGpu(KernelContext& context,
                                         const Tensor& variants);
absl::StatusOr<Tensor> CopyVariantsToHost(
    KernelContext& context, const Tensor& variants,
    absl::FunctionRef<GpuStream::Done()> new_done);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DEVICE_VARIANTS_H_
