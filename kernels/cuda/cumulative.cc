// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of Cumsum and Cumprod.
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/scan.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/scan_lines.h"

namespace leat::kernels::cuda::cumulative {
namespace {

template <leat::cuda::Scan function>
class Cumulative final : public Kernel {
 public:
  Cumulative(bool exclusive, bool reverse)
      : exclusive_(exclusive), reverse_(reverse) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const ScanLines lines, FindScanLines(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchScan(stream, function, TypeOf(input),
                                    {.from = input.raw_data(),
                                     .to = output->mutable_raw_data(),
                                     .outer = lines.outer,
                                     .n = lines.n,
                                     .inner = lines.inner,
                                     .exclusive = exclusive_,
                                     .reverse = reverse_});
    });
  }

 private:
  const bool exclusive_;
  const bool reverse_;
};

template <leat::cuda::Scan function>
absl::StatusOr<std::unique_ptr<Kernel>> MakeCumulative(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool exclusive,
                        node.attrs.GetOr<bool>("exclusive", false));
  LEAT_ASSIGN_OR_RETURN(const bool reverse,
                        node.attrs.GetOr<bool>("reverse", false));
  return std::unique_ptr<Kernel>(
      std::make_unique<Cumulative<function>>(exclusive, reverse));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Cumsum", kGpu, &MakeCumulative<leat::cuda::Scan::kSum>);
  registry.Add("Cumprod", kGpu, &MakeCumulative<leat::cuda::Scan::kProd>);
}

}  // namespace leat::kernels::cuda::cumulative
