// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of StackV2, StackPushV2, StackPopV2 and StackCloseV2.
// Elements stay where they are: the attr swap_memory has no effect on a CPU.
#include "leat/kernels/arrays/stack.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/arrays/step_handle.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::stack {
namespace {

class NewStack final : public Kernel {
 public:
  explicit NewStack(DType dtype) : dtype_(dtype) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& max_size = context.input(0);
    if (max_size.rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Stack size must be a scalar, but had shape: ",
                       max_size.shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(const std::string name,
                          NewStepName(context, "stack_name"));
    return OutputStepResource<Stack>(
        context, absl::StrCat("_stacks", name),
        [&]() -> absl::StatusOr<std::shared_ptr<Stack>> {
          return std::make_shared<Stack>(name, dtype_,
                                         max_size.scalar<int32_t>());
        });
  }

 private:
  const DType dtype_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeStack(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, node.attrs.Get<DType>("elem_type"));
  return std::unique_ptr<Kernel>(std::make_unique<NewStack>(dtype));
}

absl::Status Push(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Stack> stack,
                        FindStepResource<Stack>(context));
  LEAT_RETURN_IF_ERROR(
      stack->Push(context.input(1), context.step().device->host_allocator()));
  context.set_output(0, context.input(1));
  return absl::OkStatus();
}

absl::Status Pop(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Stack> stack,
                        FindStepResource<Stack>(context));
  LEAT_ASSIGN_OR_RETURN(Tensor element,
                        stack->Pop(context.node().output_types[0]));
  context.set_output(0, std::move(element));
  return absl::OkStatus();
}

absl::Status Close(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Stack> stack,
                        FindStepResource<Stack>(context));
  stack->Close();
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StackV2", kCpu, &MakeStack);
  registry.Add("StackPushV2", kCpu, &MakeFunction<&Push>);
  registry.Add("StackPopV2", kCpu, &MakeFunction<&Pop>);
  registry.Add("StackCloseV2", kCpu, &MakeFunction<&Close>);
}

}  // namespace leat::kernels::any::stack
