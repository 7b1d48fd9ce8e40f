// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of PartitionedCall, StatefulPartitionedCall and
// RemoteCall, for calls that are not inlined (graph/lowering/lower.h).
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/function_call.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::function_call {
namespace {

class PartitionedCall final : public AsyncKernel {
 public:
  explicit PartitionedCall(FunctionRef function)
      : function_(std::move(function)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    CallForNode(function_, context.step().device->name(), /*first_input=*/0,
                context, std::move(done));
  }

 private:
  const FunctionRef function_;
};

// Returns the full name of the device that input 0 of a RemoteCall names. What
// the input leaves open is taken from the device of the node.
absl::StatusOr<std::string> GetTarget(const KernelContext& context) {
  const Tensor& target = context.input(0);
  if (target.num_elements() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("target must be a scalar, but its shape is ",
                     target.shape().DebugString()));
  }
  const std::string text(target.data<std::string>()[0]);
  const absl::StatusOr<DeviceName> inner = DeviceName::Parse(text);
  if (!inner.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Could not parse ", text, " into a device specification."));
  }
  LEAT_ASSIGN_OR_RETURN(const DeviceName outer,
                        DeviceName::Parse(context.step().device->name()));
  return OverrideDeviceName(outer, *inner).ToString();
}

class RemoteCall final : public AsyncKernel {
 public:
  explicit RemoteCall(FunctionRef function) : function_(std::move(function)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    const absl::StatusOr<std::string> target = GetTarget(context);
    if (!target.ok()) return std::move(done)(target.status());
    CallForNode(function_, *target, /*first_input=*/1, context,
                std::move(done));
  }

 private:
  const FunctionRef function_;
};

// Makes a kernel that calls the function in the attr `f`.
template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> MakeCall(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(FunctionRef function, node.attrs.Get<FunctionRef>("f"));
  return std::unique_ptr<Kernel>(std::make_unique<K>(std::move(function)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("PartitionedCall", kCpu, &MakeCall<PartitionedCall>);
  registry.Add("StatefulPartitionedCall", kCpu, &MakeCall<PartitionedCall>);
  registry.Add("RemoteCall", kCpu, &MakeCall<RemoteCall>);
}

}  // namespace leat::kernels::any::function_call
