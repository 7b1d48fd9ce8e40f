// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of ScatterNd and UnsortedSegmentSum, and of
// ScatterAdd, ScatterSub, ScatterUpdate and their Resource forms. An index out
// of range makes the step fail at its end, after the other rows have changed.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/scatter.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/indices/index_faults.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/scatter_shapes.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::cuda::scatter {
namespace {

using leat::cuda::Accumulation;
using leat::cuda::CheckedIndices;
using leat::cuda::ScatterOperands;

// Allocates output 0 and queues an operation that fills it with zeros.
absl::StatusOr<Tensor*> AllocateZeros(KernelContext& context,
                                      const Shape& shape) {
  LEAT_ASSIGN_OR_RETURN(Tensor * output, context.AllocateOutput(0, shape));
  LEAT_RETURN_IF_ERROR(context.step().device->gpu_stream()->Fill(
      output->mutable_raw_data(), 0, static_cast<size_t>(output->num_bytes())));
  return output;
}

absl::Status AddRows(const KernelContext& context, const Tensor& updates,
                     const ScatterOperands& operands) {
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchScatter(stream, Accumulation::kAdd,
                                     TypeOf(updates), operands);
  });
}

absl::Status ScatterNd(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const Tensor& updates = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const Shape shape, ScatterNdShape(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, AllocateZeros(context, shape));
  if (updates.num_elements() == 0) return absl::OkStatus();
  const int64_t depth = indices.dim(indices.rank() - 1);
  int64_t inner = 1;
  for (int i = static_cast<int>(depth); i < shape.rank(); ++i) {
    inner *= shape.dim(i);
  }
  const int64_t count = updates.num_elements() / inner;
  LEAT_ASSIGN_OR_RETURN(const CheckedIndices points,
                        CheckIndices(context, indices, IndexRule::kTarget,
                                     {count}, depth, shape.dims()));
  return AddRows(context, updates,
                 {.indices = points,
                  .updates = updates.raw_data(),
                  .to = output->mutable_raw_data(),
                  .count = count,
                  .inner = inner});
}

absl::Status UnsortedSegmentSum(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& ids = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const SegmentPlan plan, PlanSegments(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, AllocateZeros(context, plan.output));
  if (data.num_elements() == 0) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      const CheckedIndices segments,
      CheckIndices(context, ids, IndexRule::kSegment, {ids.num_elements()},
                   /*depth=*/1, {plan.segments}));
  return AddRows(context, data,
                 {.indices = segments,
                  .updates = data.raw_data(),
                  .to = output->mutable_raw_data(),
                  .count = ids.num_elements(),
                  .inner = plan.inner});
}

enum class Scatter { kAdd, kSubtract, kUpdate };

// Changes the rows of a variable. The indices of the rows are in input 1.
template <Scatter operation>
class ScatterRows final : public Kernel {
 public:
  explicit ScatterRows(DType dtype) : dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                          GetVariable(context, 0, dtype_));
    LEAT_RETURN_IF_ERROR(variable->UpdateRows(
        context.step().device->allocator(),
        [&](Tensor& params) { return Apply(context, params); }));
    ForwardRef(context);
    return absl::OkStatus();
  }

 private:
  static absl::Status Apply(const KernelContext& context, Tensor& params) {
    const Tensor& indices = context.input(1);
    const Tensor& updates = context.input(2);
    LEAT_RETURN_IF_ERROR(
        CheckScatterUpdates(params.shape(), indices.shape(), updates.shape()));
    if (indices.num_elements() == 0) return absl::OkStatus();
    const int64_t count = indices.num_elements();
    LEAT_ASSIGN_OR_RETURN(const CheckedIndices rows,
                          CheckIndices(context, indices, IndexRule::kRow,
                                       {count}, /*depth=*/1, {params.dim(0)}));
    if (params.num_elements() == 0) {
      return OnStream(context, [&](CUstream_st* stream) {
        leat::cuda::LaunchCheckIndices(stream, rows, count);
        return true;
      });
    }
    const ScatterOperands operands = {
        .indices = rows,
        .updates = updates.raw_data(),
        .updates_step = updates.shape().IsScalar() ? 0 : 1,
        .to = params.mutable_raw_data(),
        .count = count,
        .inner = params.num_elements() / params.dim(0)};
    return OnStream(context, [&](CUstream_st* stream) {
      if constexpr (operation == Scatter::kUpdate) {
        return leat::cuda::LaunchScatterUpdate(
            stream, static_cast<int>(SizeOf(params.dtype())), operands);
      } else {
        return leat::cuda::LaunchScatter(stream,
                                         operation == Scatter::kAdd
                                             ? Accumulation::kAdd
                                             : Accumulation::kSubtract,
                                         TypeOf(params), operands);
      }
    });
  }

  const DType dtype_;
};

constexpr char kReferenceType[] = "T";
constexpr char kResourceType[] = "dtype";

template <Scatter operation, const char* attr>
absl::StatusOr<std::unique_ptr<Kernel>> MakeScatter(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>(attr));
  return std::unique_ptr<Kernel>(
      std::make_unique<ScatterRows<operation>>(dtype));
}

// Registers the kernels of two ops: `name`, which takes a reference, and
// "Resource" + `name`, which takes a resource handle.
template <Scatter operation>
void AddScatter(KernelRegistry& registry, absl::string_view name) {
  registry.Add(name, kGpu, &MakeScatter<operation, kReferenceType>);
  registry.Add(absl::StrCat("Resource", name), kGpu,
               &MakeScatter<operation, kResourceType>);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ScatterNd", kGpu, &MakeFunction<&ScatterNd>);
  registry.Add("UnsortedSegmentSum", kGpu, &MakeFunction<&UnsortedSegmentSum>);
  AddScatter<Scatter::kAdd>(registry, "ScatterAdd");
  AddScatter<Scatter::kSubtract>(registry, "ScatterSub");
  AddScatter<Scatter::kUpdate>(registry, "ScatterUpdate");
}

}  // namespace leat::kernels::cuda::scatter
