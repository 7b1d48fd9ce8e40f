// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ClipByValue, which limits elements to a range.
#include <complex>
#include <memory>

#include "leat/core/cpu_dtype_list.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/functors/clip.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/clip_shapes.h"

namespace leat::kernels::cpu::clip {
namespace {

using functors::Clip;

// The real and the imaginary part are limited on their own.
template <class R>
std::complex<R> Clip(std::complex<R> x, std::complex<R> low,
                     std::complex<R> high) {
  return {Clip(x.real(), low.real(), high.real()),
          Clip(x.imag(), low.imag(), high.imag())};
}

template <class T>
void ClipRow(const T* x, const T* low, int64_t low_step, const T* high,
             int64_t high_step, T* to, int64_t n) {
  using W = Wide<T>;
  if (low_step == 0 && high_step == 0) {
    const W least = static_cast<const W&>(*low);
    const W most = static_cast<const W&>(*high);
    LEAT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) {
      to[i] = static_cast<T>(Clip(static_cast<const W&>(x[i]), least, most));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<T>(Clip(static_cast<const W&>(x[i]),
                                static_cast<const W&>(low[i * low_step]),
                                static_cast<const W&>(high[i * high_step])));
  }
}

template <class T>
class ClipByValue final : public Kernel {
 public:
  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const Tensor& low = context.input(1);
    const Tensor& high = context.input(2);
    LEAT_RETURN_IF_ERROR(CheckClipShapes(context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.ForwardOrAllocate({0}, 0, input.shape()));
    const T* x = input.data<T>().data();
    const T* least = low.data<T>().data();
    const T* most = high.data<T>().data();
    T* y = output->mutable_data<T>().data();
    const int64_t low_step = low.rank() == input.rank() && input.rank() > 0;
    const int64_t high_step = high.rank() == input.rank() && input.rank() > 0;
    ParallelFor(context.compute_queue(), output->num_elements(), /*cost=*/1,
                [&](int64_t begin, int64_t end) {
                  ClipRow<T>(x + begin, least + begin * low_step, low_step,
                             most + begin * high_step, high_step, y + begin,
                             end - begin);
                });
    return absl::OkStatus();
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeClipByValue(const NodeDef& node) {
  return MakeForType(node, "T", kNumbersButLargeUints + kComplexes,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<ClipByValue<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ClipByValue", kCpu, &MakeClipByValue);
}

}  // namespace leat::kernels::cpu::clip
