// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of UnsortedSegmentSum, and of the ops that combine
// updates with rows of a variable, or with the slices of a tensor or a variable
// that coordinates name. An index out of range makes the step fail at its end,
// after the other rows have changed.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/scatter.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/indices/index_faults.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/shapes/scatter_shapes.h"
#include "leat/kernels/variable_elements.h"

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

// Launches the combination of rows of `operands.to` with updates. The elements
// have the type `dtype`.
using Launch = bool (*)(CUstream_st* stream, DType dtype,
                        const ScatterOperands& operands);

template <Accumulation function>
bool Accumulate(CUstream_st* stream, DType dtype,
                const ScatterOperands& operands) {
  return leat::cuda::LaunchScatter(
      stream, function, static_cast<leat::cuda::ElementType>(dtype), operands);
}

bool Update(CUstream_st* stream, DType dtype, const ScatterOperands& operands) {
  return leat::cuda::LaunchScatterUpdate(
      stream, static_cast<int>(SizeOf(dtype)), operands);
}

absl::Status CombineRows(const KernelContext& context, Launch launch,
                         DType dtype, const ScatterOperands& operands) {
  return OnStream(context, [&](CUstream_st* stream) {
    return launch(stream, dtype, operands);
  });
}

// Combines slices of `to` with updates. The last dimension of the indices has
// coordinates. REQUIRES: CheckScatterNd has found no error.
absl::Status CombineSlices(const KernelContext& context, Launch launch,
                           const Tensor& indices, const Tensor& updates,
                           Tensor& to) {
  if (updates.num_elements() == 0) return absl::OkStatus();
  const int64_t depth = indices.dim(indices.rank() - 1);
  int64_t inner = 1;
  for (int i = static_cast<int>(depth); i < to.rank(); ++i) {
    inner *= to.dim(i);
  }
  const int64_t count = updates.num_elements() / inner;
  LEAT_ASSIGN_OR_RETURN(const CheckedIndices points,
                        CheckIndices(context, indices, IndexRule::kTarget,
                                     {count}, depth, to.shape().dims()));
  return CombineRows(context, launch, to.dtype(),
                     {.indices = points,
                      .updates = updates.raw_data(),
                      .to = to.mutable_raw_data(),
                      .count = count,
                      .inner = inner});
}

absl::Status ScatterNd(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const Shape shape, ScatterNdShape(context));
  LEAT_ASSIGN_OR_RETURN(Tensor * output, AllocateZeros(context, shape));
  return CombineSlices(context, &Accumulate<Accumulation::kAdd>,
                       context.input(0), context.input(1), *output);
}

// Computes TensorScatterAdd and so on.
template <Launch launch>
absl::Status TensorScatter(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& updates = context.input(2);
  LEAT_RETURN_IF_ERROR(CheckScatterNd(indices, updates, input.shape()));
  if (updates.num_elements() == 0) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(Tensor * output,
                        context.ForwardOrAllocate({0}, 0, input.shape()));
  if (output->raw_data() != input.raw_data()) {
    LEAT_RETURN_IF_ERROR(context.step().device->gpu_stream()->CopyOnDevice(
        output->mutable_raw_data(), input.raw_data(),
        static_cast<size_t>(input.num_bytes())));
  }
  return CombineSlices(context, launch, indices, updates, *output);
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
  return CombineRows(context, &Accumulate<Accumulation::kAdd>, data.dtype(),
                     {.indices = segments,
                      .updates = data.raw_data(),
                      .to = output->mutable_raw_data(),
                      .count = ids.num_elements(),
                      .inner = plan.inner});
}

// Changes the rows of a variable. The indices of the rows are in input 1.
template <Launch launch>
class ScatterRows final : public Kernel {
 public:
  explicit ScatterRows(DType dtype) : dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    return UpdateElements(context, dtype_, /*i=*/2,
                          [&](const Tensor& updates, Tensor& params) {
                            return Apply(context, updates, params);
                          });
  }

 private:
  static absl::Status Apply(const KernelContext& context, const Tensor& updates,
                            Tensor& params) {
    const Tensor& indices = context.input(1);
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
    return CombineRows(context, launch, params.dtype(), operands);
  }

  const DType dtype_;
};

// Changes the slices of a variable whose coordinates are in input 1.
template <Launch launch>
class ScatterSlices final : public Kernel {
 public:
  explicit ScatterSlices(DType dtype) : dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    return UpdateElements(
        context, dtype_, /*i=*/2,
        [&](const Tensor& updates, Tensor& params) -> absl::Status {
          LEAT_RETURN_IF_ERROR(
              CheckScatterNd(context.input(1), updates, params.shape()));
          return CombineSlices(context, launch, context.input(1), updates,
                               params);
        });
  }

 private:
  const DType dtype_;
};

constexpr char kReferenceType[] = "T";
constexpr char kResourceType[] = "dtype";

template <class ScatterKernel, const char* attr>
absl::StatusOr<std::unique_ptr<Kernel>> MakeScatter(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>(attr));
  return std::unique_ptr<Kernel>(std::make_unique<ScatterKernel>(dtype));
}

// Registers the kernels of two ops: `name`, which takes a reference, and
// "Resource" + `name`, which takes a resource handle.
template <Launch launch>
void AddScatter(KernelRegistry& registry, absl::string_view name) {
  using Rows = ScatterRows<launch>;
  registry.Add(name, kGpu, &MakeScatter<Rows, kReferenceType>);
  registry.Add(absl::StrCat("Resource", name), kGpu,
               &MakeScatter<Rows, kResourceType>);
}

// Registers the kernels of TensorScatter + `what`, ScatterNd + `what` and
// ResourceScatterNd + `what`.
template <Launch launch>
void AddSliceScatter(KernelRegistry& registry, absl::string_view what) {
  constexpr KernelFactory kOfVariable =
      &MakeScatter<ScatterSlices<launch>, kReferenceType>;
  registry.Add(absl::StrCat("TensorScatter", what), kGpu,
               &MakeFunction<&TensorScatter<launch>>);
  registry.Add(absl::StrCat("ScatterNd", what), kGpu, kOfVariable);
  registry.Add(absl::StrCat("ResourceScatterNd", what), kGpu, kOfVariable);
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ScatterNd", kGpu, &MakeFunction<&ScatterNd>);
  registry.Add("UnsortedSegmentSum", kGpu, &MakeFunction<&UnsortedSegmentSum>);
  AddScatter<&Accumulate<Accumulation::kAdd>>(registry, "ScatterAdd");
  AddScatter<&Accumulate<Accumulation::kSubtract>>(registry, "ScatterSub");
  AddScatter<&Accumulate<Accumulation::kMultiply>>(registry, "ScatterMul");
  AddScatter<&Accumulate<Accumulation::kDivide>>(registry, "ScatterDiv");
  AddScatter<&Accumulate<Accumulation::kMaximum>>(registry, "ScatterMax");
  AddScatter<&Accumulate<Accumulation::kMinimum>>(registry, "ScatterMin");
  AddScatter<&Update>(registry, "ScatterUpdate");
  AddSliceScatter<&Accumulate<Accumulation::kAdd>>(registry, "Add");
  AddSliceScatter<&Accumulate<Accumulation::kSubtract>>(registry, "Sub");
  AddSliceScatter<&Accumulate<Accumulation::kMaximum>>(registry, "Max");
  AddSliceScatter<&Accumulate<Accumulation::kMinimum>>(registry, "Min");
  AddSliceScatter<&Update>(registry, "Update");
}

}  // namespace leat::kernels::cuda::scatter
