// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of _CopyToDevice and _CopyToHost.
#include <memory>
#include <utility>

#include "leat/core/devices/gpu_stream.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/device_variants.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::device_copies {
namespace {

// Queues the copy. What is queued after it on the GPU sees the bytes.
absl::Status CopyToDevice(KernelContext& context) {
  const Tensor& from = context.input(0);
  if (from.dtype() == DType::kVariant) {
    LEAT_ASSIGN_OR_RETURN(Tensor copy, CopyVariantsToGpu(context, from));
    context.set_output(0, std::move(copy));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(Tensor* const to,
                        context.AllocateOutput(0, from.shape()));
  return context.step().device->gpu_stream()->CopyToDevice(from, *to);
}

// Ends when the bytes have arrived, because the host reads them next.
class CopyToHost final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, Done done) const final {
    const Tensor& from = context.input(0);
    GpuStream& stream = *context.step().device->gpu_stream();
    if (from.dtype() == DType::kVariant) {
      absl::StatusOr<Tensor> copy = CopyVariantsToHost(context, from);
      if (!copy.ok()) return std::move(done)(copy.status());
      context.set_output(0, *std::move(copy));
      return stream.Drain(std::move(done));
    }
    const absl::StatusOr<Tensor*> to = context.AllocateOutput(0, from.shape());
    if (!to.ok()) return std::move(done)(to.status());
    stream.CopyToHost(from, **to, std::move(done));
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("_CopyToDevice", kGpu, &MakeFunction<&CopyToDevice>);
  registry.Add("_CopyToHost", kGpu, &Make<CopyToHost>);
}

}  // namespace leat::kernels::cuda::device_copies
