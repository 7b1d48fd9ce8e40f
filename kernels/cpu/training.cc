// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ApplyGradientDescent, ApplyMomentum, ApplyAdam,
// ApplyAdagrad, ApplyRMSProp and ApplyCenteredRMSProp and of their Resource
// forms.
#include "leat/kernels/cpu/training_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::training {

void Register(KernelRegistry& registry) {
  AddTraining<DenseTraining, GradientDescentRule>(registry,
                                                  "ApplyGradientDescent");
  AddTraining<DenseTraining, MomentumRule>(registry, "ApplyMomentum");
  AddTraining<DenseTraining, AdamRule>(registry, "ApplyAdam");
  AddTraining<DenseTraining, AdagradRule>(registry, "ApplyAdagrad");
  AddTraining<DenseTraining, RMSPropRule>(registry, "ApplyRMSProp");
  AddTraining<DenseTraining, CenteredRMSPropRule>(registry,
                                                  "ApplyCenteredRMSProp");
}

}  // namespace leat::kernels::cpu::training
