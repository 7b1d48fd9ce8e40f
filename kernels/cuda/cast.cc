// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernel of Cast.
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/unary.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cuda::cast {
namespace {

class Cast final : public Kernel {
 public:
  explicit Cast(bool truncate) : truncate_(truncate) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    if (input.dtype() == output->dtype()) {
      if (input.raw_data() == output->raw_data()) return absl::OkStatus();
      return context.step().device->gpu_stream()->CopyOnDevice(
          output->mutable_raw_data(), input.raw_data(),
          static_cast<size_t>(input.num_bytes()));
    }
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchCast(
          stream, TypeOf(input), TypeOf(*output), truncate_, input.raw_data(),
          output->mutable_raw_data(), input.num_elements());
    });
  }

 private:
  const bool truncate_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeCast(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool truncate,
                        node.attrs.GetOr<bool>("Truncate", false));
  return std::unique_ptr<Kernel>(std::make_unique<Cast>(truncate));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Cast", kGpu, &MakeCast);
}

}  // namespace leat::kernels::cuda::cast
