// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of SparseApplyMomentum, SparseApplyAdagrad and
// SparseApplyRMSProp and of their Resource forms.
#include "leat/kernels/cpu/training_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::sparse_training {

void Register(KernelRegistry& registry) {
  AddTraining<SparseTraining, MomentumRule>(registry, "SparseApplyMomentum");
  AddTraining<SparseTraining, AdagradRule>(registry, "SparseApplyAdagrad");
  AddTraining<SparseTraining, RMSPropRule>(registry, "SparseApplyRMSProp");
}

}  // namespace leat::kernels::cpu::sparse_training
