// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the GPU kernels of ApplyGradientDescent, ApplyMomentum, ApplyAdam,
// ApplyAdagrad, ApplyRMSProp and ApplyCenteredRMSProp and of their Resource
// forms.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/cuda/device/training.h"
#include "leat/kernels/gpu_kernel.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/training_inputs.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::cuda::training {
namespace {

using Rule = leat::cuda::TrainingRule;

// Updates all elements of the variables. The locks of the variables are held
// while the work is queued. Later work on them is queued behind it.
template <Rule rule>
class Training final : public Kernel {
 public:
  Training(DType dtype, bool use_nesterov, bool update_slots)
      : dtype_(dtype),
        use_nesterov_(use_nesterov),
        update_slots_(update_slots) {}

  absl::Status Compute(KernelContext& context) const final {
    TrainingInputs inputs;
    LEAT_RETURN_IF_ERROR(inputs.Read(context, dtype_));
    LEAT_RETURN_IF_ERROR(UpdateTogether(context.step().device->allocator(),
                                        inputs.variables(),
                                        [&](absl::Span<Tensor* const> values) {
                                          return Apply(context, inputs, values);
                                        }));
    ForwardRef(context);
    return absl::OkStatus();
  }

 private:
  // Updates the locked variables, whose tensors are `values`.
  absl::Status Apply(KernelContext& context, const TrainingInputs& inputs,
                     absl::Span<Tensor* const> values) const {
    LEAT_RETURN_IF_ERROR(inputs.CheckSlots(values));
    LEAT_RETURN_IF_ERROR(inputs.CheckGradient(values));
    leat::cuda::TrainingOperands operands;
    for (size_t i = 0; i < values.size(); ++i) {
      operands.variables[i] = values[i]->mutable_raw_data();
    }
    for (size_t i = 0; i < inputs.scalars().size(); ++i) {
      operands.scalars[i] = inputs.scalars()[i]->raw_data();
    }
    operands.gradient = inputs.gradient.raw_data();
    operands.n = values[0]->num_elements();
    operands.use_nesterov = use_nesterov_;
    operands.update_slots = update_slots_;
    return OnStream(context, [&](CUstream_st* stream) {
      return leat::cuda::LaunchTraining(stream, rule, TypeOf(inputs.gradient),
                                        operands);
    });
  }

  const DType dtype_;
  const bool use_nesterov_;
  const bool update_slots_;
};

template <Rule rule>
absl::StatusOr<std::unique_ptr<Kernel>> MakeTraining(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("T"));
  LEAT_ASSIGN_OR_RETURN(const bool use_nesterov,
                        node.attrs.GetOr<bool>("use_nesterov", false));
  LEAT_ASSIGN_OR_RETURN(const bool update_slots,
                        node.attrs.GetOr<bool>("update_slots", true));
  return std::unique_ptr<Kernel>(
      std::make_unique<Training<rule>>(dtype, use_nesterov, update_slots));
}

// Registers the kernel for two ops: `name`, whose variables are references, and
// "Resource" + `name`, whose variables are resource handles.
template <Rule rule>
void Add(KernelRegistry& registry, absl::string_view name) {
  registry.Add(name, kGpu, &MakeTraining<rule>);
  registry.Add(absl::StrCat("Resource", name), kGpu, &MakeTraining<rule>);
}

}  // namespace

void Register(KernelRegistry& registry) {
  Add<Rule::kGradientDescent>(registry, "ApplyGradientDescent");
  Add<Rule::kMomentum>(registry, "ApplyMomentum");
  Add<Rule::kAdam>(registry, "ApplyAdam");
  Add<Rule::kAdagrad>(registry, "ApplyAdagrad");
  Add<Rule::kRMSProp>(registry, "ApplyRMSProp");
  Add<Rule::kCenteredRMSProp>(registry, "ApplyCenteredRMSProp");
}

}  // namespace leat::kernels::cuda::training
