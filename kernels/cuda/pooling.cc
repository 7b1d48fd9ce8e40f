// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of MaxPool, AvgPool and their gradients.
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/pooling.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/pooling_plan.h"
#include "leat/kernels/window_attrs.h"

namespace leat::kernels::cuda::pooling {
namespace {

leat::cuda::Pooling PoolingOf(const PoolingPlan& plan) {
  return {.images = plan.images,
          .channels = plan.channels,
          .rows = plan.rows,
          .columns = plan.columns};
}

// Computes MaxPool or AvgPool by a launch function.
template <bool (*launch)(CUstream_st*, leat::cuda::ElementType,
                         const leat::cuda::Pooling&, const void*, void*)>
class Pool final : public Kernel {
 public:
  Pool(const WindowAttrs& attrs, std::string what)
      : attrs_(attrs), what_(std::move(what)) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const PoolingPlan plan,
                          PlanPooling(attrs_, input.shape(), what_));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.output));
    return OnStream(context, [&](CUstream_st* stream) {
      return launch(stream, TypeOf(input), PoolingOf(plan), input.raw_data(),
                    output->mutable_raw_data());
    });
  }

 private:
  const WindowAttrs attrs_;
  const std::string what_;  // the name of the input
};
using MaxPool = Pool<&leat::cuda::LaunchMaxPool>;
using AvgPool = Pool<&leat::cuda::LaunchAvgPool>;

// Computes the gradient of MaxPool. With `relu`, computes the gradient of a
// Relu followed by MaxPool.
template <bool relu>
class MaxPoolGrad final : public Kernel {
 public:
  explicit MaxPoolGrad(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    const Tensor& gradients = context.input(2);
    LEAT_ASSIGN_OR_RETURN(const PoolingPlan plan,
                          PlanMaxPoolGrad(attrs_, context));
    if (plan.rows.extent * plan.columns.extent >
        std::numeric_limits<int32_t>::max()) {
      return absl::UnimplementedError(absl::StrCat(
          "GPUs pool images of less than 2^31 pixels, not of shape ",
          input.shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(
        Tensor places, context.AllocateTemporary(DType::kInt32, plan.output));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.input));
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchMaxPoolGrad(
          stream, TypeOf(input), PoolingOf(plan), relu, input.raw_data(),
          gradients.raw_data(),
          reinterpret_cast<int32_t*>(places.mutable_raw_data()),
          output->mutable_raw_data());
    });
  }

 private:
  const WindowAttrs attrs_;
};

class AvgPoolGrad final : public Kernel {
 public:
  explicit AvgPoolGrad(const WindowAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& gradients = context.input(1);
    LEAT_ASSIGN_OR_RETURN(const PoolingPlan plan,
                          PlanAvgPoolGrad(attrs_, context));
    LEAT_ASSIGN_OR_RETURN(Tensor * output,
                          context.AllocateOutput(0, plan.input));
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchAvgPoolGrad(
          stream, TypeOf(gradients), PoolingOf(plan), gradients.raw_data(),
          output->mutable_raw_data());
    });
  }

 private:
  const WindowAttrs attrs_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakePool(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const WindowAttrs attrs, WindowAttrs::Create(node));
  return std::unique_ptr<Kernel>(
      std::make_unique<K>(attrs, node.op->inputs[0].name));
}

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeGrad(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const WindowAttrs attrs, WindowAttrs::Create(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(attrs));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("MaxPool", kGpu, &MakePool<MaxPool>);
  registry.Add("MaxPoolGrad", kGpu, &MakeGrad<MaxPoolGrad<false>>);
  registry.Add("_LeatMaxPoolReluGrad", kGpu, &MakeGrad<MaxPoolGrad<true>>);
  registry.Add("AvgPool", kGpu, &MakePool<AvgPool>);
  registry.Add("AvgPoolGrad", kGpu, &MakeGrad<AvgPoolGrad>);
}

}  // namespace leat::kernels::cuda::pooling
