// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Switch, RefSwitch and LoopCond. Merge, Enter, Exit and
// NextIteration have no kernels: the executor's propagators route their values.
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::control_flow {
namespace {

// Sets output `to` to input `from`, which is a tensor or a reference.
void Forward(KernelContext& context, int from, int to) {
  if (IsRef(context.node().output_types[to])) {
    context.set_output_ref(to, context.input_ref(from));
  } else {
    context.set_output(to, context.input(from));
  }
}

absl::Status ForwardOne(KernelContext& context) {
  Forward(context, 0, 0);
  return absl::OkStatus();
}

absl::Status Switch(KernelContext& context) {
  const Tensor& predicate = context.input(1);
  if (predicate.rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The second input must be a scalar, but it has shape ",
                     predicate.shape().DebugString()));
  }
  const int taken = predicate.scalar<bool>() ? 1 : 0;
  Forward(context, 0, taken);
  context.set_output_dead(1 - taken);
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("Switch", &MakeFunction<&Switch>);
  registry.AddForAllDevices("RefSwitch", &MakeFunction<&Switch>);
  registry.AddForAllDevices("LoopCond", &MakeFunction<&ForwardOne>);
}

}  // namespace leat::kernels::any::control_flow
