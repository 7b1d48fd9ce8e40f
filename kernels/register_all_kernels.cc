// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Is a file of its own, so that a program that registers some kernels itself
// does not link all.
#include "leat/kernels/kernel_registry.h"

namespace leat {

void RegisterAllKernels(KernelRegistry& registry) {
  kernels::any::RegisterAll(registry);
  kernels::cpu::RegisterAll(registry);
  kernels::cuda::RegisterAll(registry);
}

}  // namespace leat
