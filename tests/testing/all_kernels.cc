// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/kernel_test_harness.h"

namespace leat::testing {

const KernelRegistry& AllKernels() {
  static const KernelRegistry* const registry = [] {
    auto* made = new KernelRegistry();
    RegisterAllKernels(*made);
    return made;
  }();
  return *registry;
}

}  // namespace leat::testing
