// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// AddBothForms adds the kernel of an op on resources that has two forms
// (graph/ops/both_forms.h). FindResource and HandleOutput (handle_output.h)
// serve both.
//
//   AddBothForms("QueueClose", &MakeClose, registry);
#ifndef LEAT_KERNELS_BOTH_FORMS_H_
#define LEAT_KERNELS_BOTH_FORMS_H_

#include <string>

#include "leat/kernels/kernel_registry.h"

namespace leat::kernels {

// Adds one kernel for the op `op`, whose handles are references, and for the op
// with V2 behind its name, whose handles are resources.
inline void AddBothForms(const std::string& op, KernelFactory factory,
                         KernelRegistry& registry) {
  registry.Add(op, kCpu, factory);
  registry.Add(op + "V2", kCpu, factory);
}

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_BOTH_FORMS_H_
