// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::parse_sequence_example {
void Register(KernelRegistry&) {}
}  // namespace leat::kernels::any::parse_sequence_example
