// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/local_session.h"

namespace leat {

const KernelRegistry& BuiltinKernels() {
  static const KernelRegistry& registry = *[] {
    auto* made = new KernelRegistry;  // NOLINT: lives as long as the process
    RegisterAllKernels(*made);
    return made;
  }();
  return registry;
}

}  // namespace leat
