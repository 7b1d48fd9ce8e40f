// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of FusedBatchNormV3 and FusedBatchNormGradV3.
#include <array>
#include <memory>

#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/batch_norm.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/batch_norm_shapes.h"

namespace leat::kernels::cuda::batch_norm {
namespace {

const float* FloatsOf(const Tensor& tensor) {
  return reinterpret_cast<const float*>(tensor.raw_data());
}
float* FloatsOf(Tensor& tensor) {
  return reinterpret_cast<float*>(tensor.mutable_raw_data());
}

absl::Status FillBytes(KernelContext& context, Tensor& tensor, uint8_t value) {
  return context.step().device->gpu_stream()->Fill(
      tensor.mutable_raw_data(), value,
      static_cast<size_t>(tensor.num_bytes()));
}

// The scratch memory of a kernel.
struct Scratch {
  Tensor sums;
  Tensor coefficients;

  static absl::StatusOr<Scratch> Allocate(
      KernelContext& context, const leat::cuda::BatchNormSizes& sizes,
      int64_t coefficients) {
    Scratch scratch;
    LEAT_ASSIGN_OR_RETURN(
        scratch.sums,
        context.AllocateTemporary(DType::kDouble,
                                  Shape{sizes.parts, sizes.channels, 2}));
    LEAT_ASSIGN_OR_RETURN(
        scratch.coefficients,
        context.AllocateTemporary(DType::kFloat,
                                  Shape{coefficients, sizes.channels}));
    return scratch;
  }
  double* sums_data() {
    return reinterpret_cast<double*>(sums.mutable_raw_data());
  }
};

class BatchNorm final : public Kernel {
 public:
  explicit BatchNorm(const BatchNormAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& x = context.input(0);
    LEAT_ASSIGN_OR_RETURN(const Channels c, BatchNormChannels(attrs_, context));
    LEAT_ASSIGN_OR_RETURN(Tensor * y, context.AllocateOutput(0, x.shape()));
    std::array<Tensor*, 4> statistics;
    for (int i = 0; i < 4; ++i) {
      LEAT_ASSIGN_OR_RETURN(statistics[i],
                            context.AllocateOutput(1 + i, Shape{c.count}));
    }
    LEAT_RETURN_IF_ERROR(context.AllocateOutput(5, Shape{0}).status());
    if (x.num_elements() == 0) return ComputeEmpty(context, statistics);
    const leat::cuda::BatchNormSizes sizes =
        leat::cuda::MakeBatchNormSizes(c.outer, c.count, c.inner);
    LEAT_ASSIGN_OR_RETURN(Scratch scratch,
                          Scratch::Allocate(context, sizes, 2));
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchBatchNorm(
          stream, TypeOf(x),
          {.sizes = sizes,
           .epsilon = attrs_.epsilon,
           .factor = attrs_.factor,
           .training = attrs_.training,
           .x = x.raw_data(),
           .scale = FloatsOf(context.input(1)),
           .offset = FloatsOf(context.input(2)),
           .old_mean = FloatsOf(context.input(3)),
           .old_variance = FloatsOf(context.input(4)),
           .y = y->mutable_raw_data(),
           .mean = FloatsOf(*statistics[0]),
           .variance = FloatsOf(*statistics[1]),
           .saved_mean = FloatsOf(*statistics[2]),
           .saved_variance = FloatsOf(*statistics[3]),
           .sums = scratch.sums_data(),
           .coefficients = FloatsOf(scratch.coefficients)});
    });
  }

 private:
  // Sets the statistics of a batch without elements: the estimates become NaN,
  // and the saved statistics become 0.
  static absl::Status ComputeEmpty(KernelContext& context,
                                   const std::array<Tensor*, 4>& statistics) {
    for (int i = 0; i < 4; ++i) {
      LEAT_RETURN_IF_ERROR(
          FillBytes(context, *statistics[i], i < 2 ? 0xFF : 0));
    }
    return absl::OkStatus();
  }

  const BatchNormAttrs attrs_;
};

class BatchNormGrad final : public Kernel {
 public:
  explicit BatchNormGrad(const BatchNormAttrs& attrs) : attrs_(attrs) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& x = context.input(1);
    LEAT_ASSIGN_OR_RETURN(const Channels c,
                          BatchNormGradChannels(attrs_, context));
    LEAT_ASSIGN_OR_RETURN(Tensor * dx, context.AllocateOutput(0, x.shape()));
    std::array<Tensor*, 4> outputs;
    for (int i = 0; i < 4; ++i) {
      LEAT_ASSIGN_OR_RETURN(
          outputs[i],
          context.AllocateOutput(1 + i, i < 2 ? Shape{c.count} : Shape{}));
      // Outputs 3 and 4 are unused and are set to 0. If x is empty, the
      // gradients of scale and offset are 0, too.
      if (i < 2 && x.num_elements() > 0) continue;
      LEAT_RETURN_IF_ERROR(FillBytes(context, *outputs[i], 0));
    }
    if (x.num_elements() == 0) return absl::OkStatus();
    const leat::cuda::BatchNormSizes sizes =
        leat::cuda::MakeBatchNormSizes(c.outer, c.count, c.inner);
    LEAT_ASSIGN_OR_RETURN(Scratch scratch,
                          Scratch::Allocate(context, sizes, 4));
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchBatchNormGrad(
          stream, TypeOf(x),
          {.sizes = sizes,
           .epsilon = attrs_.epsilon,
           .training = attrs_.training,
           .dy = context.input(0).raw_data(),
           .x = x.raw_data(),
           .scale = FloatsOf(context.input(2)),
           .mean = FloatsOf(context.input(3)),
           .variance = FloatsOf(context.input(4)),
           .dx = dx->mutable_raw_data(),
           .dscale = FloatsOf(*outputs[0]),
           .doffset = FloatsOf(*outputs[1]),
           .sums = scratch.sums_data(),
           .coefficients = FloatsOf(scratch.coefficients)});
    });
  }

 private:
  const BatchNormAttrs attrs_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeBatchNorm(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const BatchNormAttrs attrs,
                        BatchNormAttrs::Create(node));
  return std::unique_ptr<Kernel>(std::make_unique<K>(attrs));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("FusedBatchNormV3", kGpu, &MakeBatchNorm<BatchNorm>);
  registry.Add("FusedBatchNormGradV3", kGpu, &MakeBatchNorm<BatchNormGrad>);
}

}  // namespace leat::kernels::cuda::batch_norm
