// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of ApplyGradientDescent, ApplyMomentum, ApplyAdam,
// ApplyAdagrad, ApplyRMSProp, ApplyCenteredRMSProp, SparseApplyMomentum,
// SparseApplyAdagrad and SparseApplyRMSProp, and of their Resource forms.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/scatter.h"
#include "leat/kernels/cuda/device/training.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/indices/index_faults.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/training_inputs.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::cuda::training {
namespace {

using Rule = leat::cuda::TrainingRule;

// Holds the attrs of a training op. A kernel ignores attrs that its op lacks.
struct Options {
  DType dtype = DType::kInvalid;
  bool use_nesterov = false;
  bool update_slots = true;
};

leat::cuda::TrainingOperands OperandsOf(const Options& options,
                                        const TrainingInputs& inputs,
                                        absl::Span<Tensor* const> values) {
  leat::cuda::TrainingOperands operands;
  for (size_t i = 0; i < values.size(); ++i) {
    operands.variables[i] = values[i]->mutable_raw_data();
  }
  for (size_t i = 0; i < inputs.scalars().size(); ++i) {
    operands.scalars[i] = inputs.scalars()[i]->raw_data();
  }
  operands.gradient = inputs.gradient.raw_data();
  operands.n = values[0]->num_elements();
  operands.use_nesterov = options.use_nesterov;
  operands.update_slots = options.update_slots;
  return operands;
}

// Updates all elements of the locked variables, whose tensors are `values`.
template <Rule rule>
absl::Status UpdateAll(KernelContext& context, const Options& options,
                       const TrainingInputs& inputs,
                       absl::Span<Tensor* const> values) {
  LEAT_RETURN_IF_ERROR(inputs.CheckSlots(values));
  LEAT_RETURN_IF_ERROR(inputs.CheckGradient(values));
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchTraining(stream, rule, TypeOf(inputs.gradient),
                                      OperandsOf(options, inputs, values));
  });
}

// Allocates the table and the lists of leat::cuda::TrainedRows.
absl::StatusOr<Tensor> AllocateLists(KernelContext& context,
                                     leat::cuda::TrainedRows& rows) {
  rows.table_size = 1;
  while (rows.table_size < 2 * rows.count) rows.table_size *= 2;
  LEAT_ASSIGN_OR_RETURN(
      Tensor lists,
      context.AllocateTemporary(DType::kInt64,
                                Shape{2 * rows.table_size + rows.count}));
  LEAT_RETURN_IF_ERROR(context.step().device->gpu_stream()->Fill(
      lists.mutable_raw_data(), 0xff,
      static_cast<size_t>(lists.num_bytes())));  // sets all to -1
  rows.rows = reinterpret_cast<int64_t*>(lists.mutable_raw_data());
  rows.heads = rows.rows + rows.table_size;
  rows.links = rows.heads + rows.table_size;
  return lists;
}

// Updates the rows of the locked variables that the indices name.
template <Rule rule>
absl::Status UpdateSome(KernelContext& context, const Options& options,
                        const TrainingInputs& inputs,
                        absl::Span<Tensor* const> values) {
  LEAT_RETURN_IF_ERROR(inputs.CheckSlots(values));
  LEAT_RETURN_IF_ERROR(inputs.CheckRows(values));
  leat::cuda::TrainedRows rows;
  rows.count = inputs.indices.num_elements();
  if (rows.count == 0) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      rows.indices,
      CheckIndices(context, inputs.indices, IndexRule::kTrainedRow, {},
                   /*depth=*/1, {values[0]->dim(0)}));
  if (inputs.gradient.num_elements() == 0) {
    return OnStream(context, [&](CUstream_st* stream) {
      leat::cuda::LaunchCheckIndices(stream, rows.indices, rows.count);
      return true;
    });
  }
  rows.inner = inputs.gradient.num_elements() / rows.count;
  LEAT_ASSIGN_OR_RETURN(const Tensor lists, AllocateLists(context, rows));
  return OnStream(context, [&](CUstream_st* stream) {
    return leat::cuda::LaunchSparseTraining(
        stream, rule, TypeOf(inputs.gradient),
        OperandsOf(options, inputs, values), rows);
  });
}

using UpdateVariables = absl::Status (*)(KernelContext&, const Options&,
                                         const TrainingInputs&,
                                         absl::Span<Tensor* const>);

// Updates the variables with `update`. Holds their locks while it queues the
// work. Later work on the variables is queued behind this work.
template <UpdateVariables update, bool is_sparse>
class Training final : public Kernel {
 public:
  explicit Training(const Options& options) : options_(options) {}

  absl::Status Compute(KernelContext& context) const final {
    TrainingInputs inputs;
    LEAT_RETURN_IF_ERROR(inputs.Read(context, options_.dtype));
    LEAT_RETURN_IF_ERROR(UpdateTogether(
        context.step().device->allocator(), inputs.variables(),
        [&](absl::Span<Tensor* const> values) {
          return update(context, options_, inputs, values);
        },
        /*rows=*/is_sparse));
    ForwardRef(context);
    return absl::OkStatus();
  }

 private:
  const Options options_;
};

template <UpdateVariables update, bool is_sparse>
absl::StatusOr<std::unique_ptr<Kernel>> MakeTraining(const NodeDef& node) {
  Options options;
  LEAT_ASSIGN_OR_RETURN(options.dtype, node.attrs.Get<DType>("T"));
  LEAT_ASSIGN_OR_RETURN(options.use_nesterov,
                        node.attrs.GetOr<bool>("use_nesterov", false));
  LEAT_ASSIGN_OR_RETURN(options.update_slots,
                        node.attrs.GetOr<bool>("update_slots", true));
  return std::unique_ptr<Kernel>(
      std::make_unique<Training<update, is_sparse>>(options));
}

// Registers the kernel for two ops: `name`, whose variables are references, and
// "Resource" + `name`, whose variables are resource handles.
template <UpdateVariables update, bool is_sparse>
void AddTraining(KernelRegistry& registry, absl::string_view name) {
  registry.Add(name, kGpu, &MakeTraining<update, is_sparse>);
  registry.Add(absl::StrCat("Resource", name), kGpu,
               &MakeTraining<update, is_sparse>);
}

template <Rule rule>
void Add(KernelRegistry& registry, absl::string_view name) {
  AddTraining<&UpdateAll<rule>, /*is_sparse=*/false>(registry, name);
}
template <Rule rule>
void AddSparse(KernelRegistry& registry, absl::string_view name) {
  AddTraining<&UpdateSome<rule>, /*is_sparse=*/true>(registry, name);
}

}  // namespace

void Register(KernelRegistry& registry) {
  Add<Rule::kGradientDescent>(registry, "ApplyGradientDescent");
  Add<Rule::kMomentum>(registry, "ApplyMomentum");
  Add<Rule::kAdam>(registry, "ApplyAdam");
  Add<Rule::kAdagrad>(registry, "ApplyAdagrad");
  Add<Rule::kRMSProp>(registry, "ApplyRMSProp");
  Add<Rule::kCenteredRMSProp>(registry, "ApplyCenteredRMSProp");
  AddSparse<Rule::kMomentum>(registry, "SparseApplyMomentum");
  AddSparse<Rule::kAdagrad>(registry, "SparseApplyAdagrad");
  AddSparse<Rule::kRMSProp>(registry, "SparseApplyRMSProp");
}

}  // namespace leat::kernels::cuda::training
