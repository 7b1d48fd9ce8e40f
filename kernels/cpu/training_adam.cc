// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of ApplyAdam, ApplyAdaMax and their Resource forms, and
// of ResourceApplyAdamWithAmsgrad.
#include <cmath>

#include "leat/kernels/cpu/training_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::training_adam {
namespace {

// The scalars of Adam, in the order of the op's inputs.
template <class W>
struct AdamScalars {
  W beta1_power, beta2_power, lr, beta1, beta2, epsilon;

  explicit AdamScalars(const W* s)
      : beta1_power(s[0]),
        beta2_power(s[1]),
        lr(s[2]),
        beta1(s[3]),
        beta2(s[4]),
        epsilon(s[5]) {}

  // Returns the step size. It corrects the bias of the moments.
  W alpha() const {
    return lr * std::sqrt(W(1) - beta2_power) / (W(1) - beta1_power);
  }
};

// Updates the estimates m (v[1]) and v (v[2]) of the gradient's moments:
//
//   m += (grad - m) * (1 - beta1)
//   v += (grad^2 - v) * (1 - beta2)
template <class W>
void UpdateMoments(const AdamScalars<W>& s, Stretch<W>* v,
                   const ConstStretch<W>& grad) {
  v[1] += (grad - v[1]) * (W(1) - s.beta1);
  v[2] += (grad.square() - v[2]) * (W(1) - s.beta2);
}

// ApplyAdam (Kingma and Ba, "Adam", 2014) computes the moments as above, and:
//
//   alpha = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
//   var -= alpha * m / (sqrt(v) + epsilon)
//
// If use_nesterov is set, (1 - beta1) * grad + beta1 * m replaces m in the last
// line.
struct AdamRule {
  static constexpr int kVariables = 3;
  static constexpr auto kTypes = kFloatsAndComplexes;
  template <class W>
  static void Update(const RuleOptions& options, const W* scalars,
                     Stretch<W>* v, const ConstStretch<W>& grad) {
    const AdamScalars<W> s(scalars);
    UpdateMoments(s, v, grad);
    if (options.use_nesterov) {
      v[0] -= ((grad * (W(1) - s.beta1) + s.beta1 * v[1]) * s.alpha()) /
              (SqrtOf(v[2]) + s.epsilon);
    } else {
      v[0] -= (v[1] * s.alpha()) / (SqrtOf(v[2]) + s.epsilon);
    }
  }
};

// ResourceApplyAdamWithAmsgrad (Reddi et al., "On the Convergence of Adam and
// Beyond", 2018) does the same as ApplyAdam, but divides by the largest v so
// far:
//
//   vhat = max(vhat, v)
//   var -= alpha * m / (sqrt(vhat) + epsilon)
struct AdamWithAmsgradRule {
  static constexpr int kVariables = 4;
  static constexpr auto kTypes = kFloats;
  template <class W>
  static void Update(const RuleOptions&, const W* scalars, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const AdamScalars<W> s(scalars);
    UpdateMoments(s, v, grad);
    v[3] = v[3].max(v[2]);  // vhat stays if v is NaN
    v[0] -= (v[1] * s.alpha()) / (SqrtOf(v[3]) + s.epsilon);
  }
};

// ApplyAdaMax, of the paper on Adam, divides by the largest gradient, whose
// weight decays:
//
//   m += (grad - m) * (1 - beta1)
//   v = max(beta2 * v, |grad|)
//   var -= lr / (1 - beta1_power) * m / (v + epsilon)
struct AdaMaxRule {
  static constexpr int kVariables = 3;
  static constexpr auto kTypes = kFloats;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W beta1_power = s[0], lr = s[1], beta1 = s[2], beta2 = s[3],
            epsilon = s[4];
    v[1] += (grad - v[1]) * (W(1) - beta1);
    v[2] = (v[2] * beta2).max(grad.abs());  // v only decays if grad is NaN
    v[0] -= v[1] * (lr / (W(1) - beta1_power)) / (v[2] + epsilon);
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  AddDenseTraining<AdamRule>(registry, "Adam");
  AddDenseTrainingOfResources<AdamWithAmsgradRule>(registry, "AdamWithAmsgrad");
  AddDenseTraining<AdaMaxRule>(registry, "AdaMax");
}

}  // namespace leat::kernels::cpu::training_adam
