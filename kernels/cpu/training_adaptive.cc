// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the ops that scale each step by the squares of earlier
// gradients: ApplyAdagrad, ApplyAdagradV2, ApplyRMSProp, ApplyCenteredRMSProp,
// ApplyAdadelta, and their Resource and Sparse forms.
#include "leat/kernels/cpu/training_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::training_adaptive {
namespace {

// ApplyAdagrad (Duchi, Hazan and Singer, "Adaptive Subgradient Methods", 2011)
// computes:
//
//   accum += grad^2                              (with update_slots)
//   var -= lr * grad / sqrt(accum)
struct AdagradRule {
  static constexpr int kVariables = 2;
  static constexpr auto kTypes = kFloatsAndComplexes;
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    if (options.update_slots) v[1] += grad.square();
    v[0] -= grad * s[0] / SqrtOf(v[1]);
  }
};

// ApplyAdagradV2 does the same as ApplyAdagrad, but divides by
// sqrt(accum) + epsilon.
struct AdagradV2Rule {
  static constexpr int kVariables = 2;
  static constexpr auto kTypes = kFloatsAndComplexes;
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], epsilon = s[1];
    if (options.update_slots) v[1] += grad.square();
    v[0] -= grad * lr / (SqrtOf(v[1]) + epsilon);
  }
};

// ApplyRMSProp (Tieleman and Hinton, 2012) computes:
//
//   ms += (grad^2 - ms) * (1 - rho)
//   mom = momentum * mom + lr * grad / sqrt(ms + epsilon)
//   var -= mom
struct RMSPropRule {
  static constexpr int kVariables = 3;
  static constexpr auto kTypes = kFloatsAndComplexes;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[1] += (grad.square() - v[1]) * (W(1) - rho);
    v[2] = v[2] * momentum + (grad * lr) / SqrtOf(v[1] + epsilon);
    v[0] -= v[2];
  }
};

// ApplyCenteredRMSProp does the same as ApplyRMSProp, but divides by an
// estimate of the gradient's variance instead of its second moment:
//
//   ms += (grad^2 - ms) * (1 - rho)
//   mg += (grad - mg) * (1 - rho)
//   mom = momentum * mom + lr * grad / sqrt(ms - mg^2 + epsilon)
//   var -= mom
struct CenteredRMSPropRule {
  static constexpr int kVariables = 4;
  static constexpr auto kTypes = kFloatsAndComplexes;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[2] += (grad.square() - v[2]) * (W(1) - rho);
    v[1] += (grad - v[1]) * (W(1) - rho);
    v[3] = v[3] * momentum +
           (grad * lr) / SqrtOf((v[2] - v[1].square()) + epsilon);
    v[0] -= v[3];
  }
};

// ApplyAdadelta (Zeiler, "ADADELTA", 2012) computes:
//
//   accum = rho * accum + (1 - rho) * grad^2
//   update = grad * sqrt(accum_update + epsilon) / sqrt(accum + epsilon)
//   var -= lr * update
//   accum_update = rho * accum_update + (1 - rho) * update^2
struct AdadeltaRule {
  static constexpr int kVariables = 3;
  static constexpr auto kTypes = kFloatsAndComplexes;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], rho = s[1], epsilon = s[2];
    v[1] = v[1] * rho + grad.square() * (W(1) - rho);
    // Eigen computes `update` where it is used, with the old accum_update.
    const auto update = grad * SqrtOf(v[2] + epsilon) / SqrtOf(v[1] + epsilon);
    v[0] -= update * lr;
    v[2] = v[2] * rho + update.square() * (W(1) - rho);
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  AddDenseTraining<AdagradRule>(registry, "Adagrad");
  AddSparseTraining<AdagradRule>(registry, "Adagrad");
  AddDenseTraining<AdagradV2Rule>(registry, "AdagradV2");
  AddSparseTraining<AdagradV2Rule>(registry, "AdagradV2");
  AddDenseTraining<RMSPropRule>(registry, "RMSProp");
  AddSparseTraining<RMSPropRule>(registry, "RMSProp");
  AddDenseTraining<CenteredRMSPropRule>(registry, "CenteredRMSProp");
  AddSparseTraining<CenteredRMSPropRule>(registry, "CenteredRMSProp");
  AddDenseTraining<AdadeltaRule>(registry, "Adadelta");
  AddSparseTraining<AdadeltaRule>(registry, "Adadelta");
}

}  // namespace leat::kernels::cpu::training_adaptive
