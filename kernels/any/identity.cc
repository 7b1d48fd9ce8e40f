// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Identity, IdentityN, StopGradient, PreventGradient,
// Snapshot, EnsureShape and RefIdentity, whose outputs share the bytes of the
// inputs, and of DeepCopy.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/partial_shape.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::identity {
namespace {

absl::Status ForwardAll(KernelContext& context) {
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, context.input(i));
  }
  return absl::OkStatus();
}

absl::Status ForwardReference(KernelContext& context) {
  context.set_output_ref(0, context.input_ref(0));
  return absl::OkStatus();
}

class EnsureShape final : public Kernel {
 public:
  explicit EnsureShape(PartialShape shape) : shape_(std::move(shape)) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& input = context.input(0);
    if (!shape_.IsCompatibleWith(input.shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape of tensor input ", input.shape().DebugString(),
                       " is not compatible with expected shape ",
                       shape_.DebugString(), "."));
    }
    context.set_output(0, input);
    return absl::OkStatus();
  }

 private:
  const PartialShape shape_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeEnsureShape(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        node.attrs.Get<PartialShape>("shape"));
  return std::unique_ptr<Kernel>(
      std::make_unique<EnsureShape>(std::move(shape)));
}

absl::Status CopyInput(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      Tensor copy, context.input(0).Copy(context.step().device->allocator()));
  context.set_output(0, std::move(copy));
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  for (const char* op : {"Identity", "IdentityN", "StopGradient",
                         "PreventGradient", "Snapshot"}) {
    registry.AddForAllDevices(op, &MakeFunction<&ForwardAll>);
  }
  registry.AddForAllDevices("EnsureShape", &MakeEnsureShape);
  registry.Add("DeepCopy", kCpu, &MakeFunction<&CopyInput>);
  registry.AddForAllDevices("RefIdentity", &MakeFunction<&ForwardReference>);
}

}  // namespace leat::kernels::any::identity
