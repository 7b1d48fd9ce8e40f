// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RegisterAllKernels has its own file, so that a program that registers only
// some kernels does not link the others.
#include "leat/kernels/kernel_registry.h"

namespace leat {

void RegisterAllKernels(KernelRegistry& registry) {
  kernels::any::RegisterAll(registry);
  kernels::datasets::RegisterAll(registry);
  kernels::cpu::RegisterAll(registry);
  kernels::cuda::RegisterAll(registry);
}

}  // namespace leat
