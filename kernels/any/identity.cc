// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Identity, IdentityN, StopGradient, PreventGradient and
// RefIdentity. The outputs share the bytes of the inputs.
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

}  // namespace

void Register(KernelRegistry& registry) {
  for (const char* op :
       {"Identity", "IdentityN", "StopGradient", "PreventGradient"}) {
    registry.AddForAllDevices(op, &MakeFunction<&ForwardAll>);
  }
  registry.AddForAllDevices("RefIdentity", &MakeFunction<&ForwardReference>);
}

}  // namespace leat::kernels::any::identity
