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
  registry.Add("NoOp", kCpu, &MakeFunction<&DoNothing>);
  registry.Add("ControlTrigger", kCpu, &MakeFunction<&DoNothing>);
}

}  // namespace leat::kernels::any::no_op
