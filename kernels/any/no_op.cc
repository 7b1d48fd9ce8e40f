// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of NoOp and ControlTrigger.
#include "leat/core/devices/device.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::no_op {
namespace {

absl::Status DoNothing(KernelContext&) { return absl::OkStatus(); }

}  // namespace

void Register(KernelRegistry& registry) {
  registry.AddForAllDevices("NoOp", &MakeFunction<&DoNothing>);
  registry.AddForAllDevices("ControlTrigger", &MakeFunction<&DoNothing>);
}

}  // namespace leat::kernels::any::no_op
