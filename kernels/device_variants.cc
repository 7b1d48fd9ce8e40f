// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/device_variants.h"

#include "leat/core/status_macros.h"
#include "leat/kernels/device_copy.h"
#include "leat/kernels/tensor_list_access.h"
#include "leat/kernels/variant_arithmetic.h"

namespace leat::kernels {

absl::StatusOr<Tensor> CopyVariantsToGpu(KernelContext& context,
                                         const Tensor& variants) {
  GpuStream& stream = *StreamOf(context);
  const auto copy = [&](const Tensor& held) -> absl::StatusOr<Tensor> {
    if (held.IsOnGpu() || !AreHeldOnGpu(context, held.dtype())) return held;
    LEAT_ASSIGN_OR_RETURN(
        Tensor to, context.AllocateTemporary(held.dtype(), held.shape()));
    LEAT_RETURN_IF_ERROR(stream.CopyToDevice(held, to));
    return to;
  };
  return ReplaceTensors(context, variants, copy);
}

absl::StatusOr<Tensor> CopyVariantsToHost(
    KernelContext& context, const Tensor& variants,
    absl::FunctionRef<GpuStream::Done()> new_done) {
  GpuStream& stream = *StreamOf(context);
  const auto copy = [&](const Tensor& held) -> absl::StatusOr<Tensor> {
    if (!held.IsOnGpu()) return held;
    LEAT_ASSIGN_OR_RETURN(
        Tensor to,
        Tensor::Allocate(ListMemory(context), held.dtype(), held.shape()));
    stream.CopyToHost(held, to, new_done());
    return to;
  };
  return ReplaceTensors(context, variants, copy);
}

}  // namespace leat::kernels
