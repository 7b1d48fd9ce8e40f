// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of AvgPool and AvgPool3D, and of their gradients.
#include <algorithm>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/pooling_loops.h"
#include "leat/kernels/elementwise.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/pooling_plan.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels::cpu::avg_pool {
namespace {

// Averages the pixels of each window that lie inside of the image.
template <class T>
class AvgPool final : public Kernel {
 public:
  explicit AvgPool(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan,
                          PlanPooling(attrs_, input.shape(), "value"));
    const WindowPlan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.output));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* from = input.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForOutputs(context.compute_queue(), p,
               [&](int64_t image, const Taps& taps, int64_t out) {
                 const T* source = from + image * p.in_size();
                 T* sum = to + out;
                 std::fill_n(sum, p.channels, T(0));
                 ForTaps(p, taps, [&](int64_t pixel) {
                   const T* x = source + pixel;
                   for (int64_t c = 0; c < p.channels; ++c) sum[c] += x[c];
                 });
                 const T count = static_cast<T>(taps.count());
                 for (int64_t c = 0; c < p.channels; ++c) sum[c] /= count;
               });
    return absl::OkStatus();
  }

 private:
  const WindowAttrs attrs_;
};

template <class T>
class AvgPoolGrad final : public Kernel {
 public:
  explicit AvgPoolGrad(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& grad = context.input(1);
    LEAT_ASSIGN_OR_RETURN(PoolingPlan plan, PlanAvgPoolGrad(attrs_, context));
    const WindowPlan p(std::move(plan));
    LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, p.input));
    if (output->num_elements() == 0) return absl::OkStatus();
    const T* gradients = grad.data<T>().data();
    T* to = output->mutable_data<T>().data();
    ForImages(context.compute_queue(), p, [&](int64_t image) {
      Backpropagate(p, gradients + image * p.out_size(),
                    to + image * p.in_size());
    });
    return absl::OkStatus();
  }

 private:
  static void Backpropagate(const WindowPlan& p, const T* gradients, T* to) {
    std::fill_n(to, p.in_size(), T(0));
    ForWindows(p, [&](const Taps& taps, int64_t out) {
      const T* g = gradients + out;
      const T share = T(1) / static_cast<T>(taps.count());
      ForTaps(p, taps, [&](int64_t pixel) {
        for (int64_t c = 0; c < p.channels; ++c) {
          to[pixel + c] += g[c] * share;
        }
      });
    });
  }

  const WindowAttrs attrs_;
};

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("AvgPool", kCpu, &MakePooling<AvgPool>);
  registry.Add("AvgPoolGrad", kCpu, &MakePooling<AvgPoolGrad>);
  registry.Add("AvgPool3D", kCpu, &MakePooling<AvgPool, kVolumeTypes>);
  registry.Add("AvgPool3DGrad", kCpu, &MakePooling<AvgPoolGrad, kVolumeTypes>);
}

}  // namespace leat::kernels::cpu::avg_pool
