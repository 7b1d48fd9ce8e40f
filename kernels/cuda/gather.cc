// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of Gather, GatherV2, GatherNd and
// ResourceGather. An index out of range makes the step fail at its end.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/gather.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/indices/index_faults.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/gather_plan.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::cuda::gather {
namespace {

absl::Status Launch(const KernelContext& context, DType dtype,
                    const leat::cuda::GatherOperands& operands) {
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchGather(stream, static_cast<int>(SizeOf(dtype)),
                                    operands);
  });
}

// Gathers rows of `params` at the indices in input 1.
absl::Status GatherRows(KernelContext& context, const Tensor& params,
                        const GatherPlan& plan) {
  const Tensor& indices = context.input(1);
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, plan.output));
  if (plan.output.num_elements() == 0) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      const leat::cuda::CheckedIndices rows,
      CheckIndices(context, indices, IndexRule::kRow, indices.shape().dims(),
                   /*depth=*/1, {plan.limit}));
  return Launch(context, params.dtype(),
                {.from = params.raw_data(),
                 .indices = rows,
                 .to = output->mutable_raw_data(),
                 .batch = plan.batch,
                 .outer = plan.outer,
                 .limit = plan.limit,
                 .inner = plan.inner,
                 .count = plan.count});
}

// Gathers the slices of `params` whose coordinates are the rows of input 1.
absl::Status GatherPoints(KernelContext& context, const Tensor& params) {
  const Tensor& indices = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const GatherNdPlan plan,
                        PlanGatherNd(params.shape(), indices.shape()));
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.AllocateOutput(0, plan.output));
  if (plan.output.num_elements() == 0) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      const leat::cuda::CheckedIndices points,
      CheckIndices(context, indices, IndexRule::kPoint,
                   indices.shape().dims().first(indices.rank() - 1), plan.depth,
                   params.shape().dims()));
  return Launch(context, params.dtype(),
                {.from = params.raw_data(),
                 .indices = points,
                 .to = output->mutable_raw_data(),
                 .limit = params.num_elements() / plan.inner,
                 .inner = plan.inner,
                 .count = plan.rows});
}

absl::Status Gather(KernelContext& context) {
  const Tensor& params = context.input(0);
  LEAT_ASSIGN_OR_RETURN(
      const GatherPlan plan,
      PlanGather(params.shape(), context.input(1).shape(), /*axis=*/0,
                 /*batch_dims=*/0));
  return GatherRows(context, params, plan);
}

absl::Status GatherNd(KernelContext& context) {
  return GatherPoints(context, context.input(0));
}

class GatherV2 final : public Kernel {
 public:
  explicit GatherV2(int64_t batch_dims) : batch_dims_(batch_dims) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(const GatherPlan plan,
                          PlanGatherV2(context, batch_dims_));
    return GatherRows(context, context.input(0), plan);
  }

 private:
  const int64_t batch_dims_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeGatherV2(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t batch_dims,
                        node.attrs.GetOr<int64_t>("batch_dims", 0));
  return std::unique_ptr<Kernel>(std::make_unique<GatherV2>(batch_dims));
}

// Queues the gather while the variable is locked. Work that changes the
// variable later is queued behind the gather.
class ResourceGather final : public Kernel {
 public:
  ResourceGather(DType dtype, int64_t batch_dims)
      : dtype_(dtype), batch_dims_(batch_dims) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                          GetVariable(context, 0, dtype_));
    return variable->WithValue([&](const Tensor& params) -> absl::Status {
      LEAT_ASSIGN_OR_RETURN(
          const GatherPlan plan,
          PlanResourceGather(params.shape(), context.input(1).shape(),
                             batch_dims_));
      return GatherRows(context, params, plan);
    });
  }

 private:
  const DType dtype_;
  const int64_t batch_dims_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeResourceGather(
    const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const int64_t batch_dims,
                        node.attrs.GetInt32("batch_dims"));
  if (batch_dims < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dims is negative (", batch_dims, ")"));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<ResourceGather>(dtype, batch_dims));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Gather", kGpu, &MakeFunction<&Gather>);
  registry.Add("GatherV2", kGpu, &MakeGatherV2);
  registry.Add("GatherNd", kGpu, &MakeFunction<&GatherNd>);
  registry.Add("ResourceGather", kGpu, &MakeResourceGather);
}

}  // namespace leat::kernels::cuda::gather
