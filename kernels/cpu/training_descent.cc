// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the ops of gradient descent, with and without
// momentum: ApplyGradientDescent, ApplyMomentum, ResourceApplyKerasMomentum,
// ApplyAddSign, ApplyPowerSign, and their Resource and Sparse forms.
#include <cmath>

#include "leat/kernels/cpu/training_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::training_descent {
namespace {

// ApplyGradientDescent computes:
//
//   var -= alpha * delta
struct GradientDescentRule {
  static constexpr int kVariables = 1;
  static constexpr auto kTypes = kFloatsAndComplexes;
  template <class W>
  static void Update(const RuleOptions&, const W* scalars, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    v[0] -= grad * scalars[0];
  }
};

// ApplyMomentum computes:
//
//   accum = momentum * accum + grad
//   var -= lr * accum
//   var -= lr * grad + lr * momentum * accum     (instead, with use_nesterov)
struct MomentumRule {
  static constexpr int kVariables = 2;
  static constexpr auto kTypes = kFloatsAndComplexes;
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], momentum = s[1];
    v[1] = v[1] * momentum + grad;
    if (options.use_nesterov) {
      v[0] -= grad * lr + v[1] * momentum * lr;
    } else {
      v[0] -= v[1] * lr;
    }
  }
};

// ResourceApplyKerasMomentum computes, with an accumulator that contains the
// learning rate:
//
//   accum = momentum * accum - lr * grad
//   var += accum
//   var += momentum * accum - lr * grad          (instead, with use_nesterov)
struct KerasMomentumRule {
  static constexpr int kVariables = 2;
  static constexpr auto kTypes = kFloatsAndComplexes;
  static constexpr IndexRule kIndexRule = IndexRule::kRow;
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], momentum = s[1];
    v[1] = v[1] * momentum - grad * lr;
    if (options.use_nesterov) {
      v[0] += v[1] * momentum - grad * lr;
    } else {
      v[0] += v[1];
    }
  }
};

// ApplyAddSign (Bello et al., "Neural Optimizer Search", 2017) computes:
//
//   m = beta * m + (1 - beta) * grad
//   var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad
struct AddSignRule {
  static constexpr int kVariables = 2;
  static constexpr auto kTypes = kFloats;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], alpha = s[1], sign_decay = s[2], beta = s[3];
    v[1] = v[1] * beta + grad * (W(1) - beta);
    v[0] -= (SignOf(grad) * SignOf(v[1]) * sign_decay + alpha) * lr * grad;
  }
};

// ApplyPowerSign, of the same paper, computes:
//
//   m = beta * m + (1 - beta) * grad
//   var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad
struct PowerSignRule {
  static constexpr int kVariables = 2;
  static constexpr auto kTypes = kFloats;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], logbase = s[1], sign_decay = s[2], beta = s[3];
    v[1] = v[1] * beta + grad * (W(1) - beta);
    const W exponent = logbase * sign_decay;
    const W along = std::exp(exponent), against = std::exp(-exponent),
            still = std::exp(exponent * 0);
    // Returns the factor for a product of signs, which may be NaN.
    const auto factor = [=](W sign) {
      return sign > W(0) ? along : sign < W(0) ? against : sign + still;
    };
    v[0] -= (SignOf(grad) * SignOf(v[1])).unaryExpr(factor) * lr * grad;
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  AddDenseTraining<GradientDescentRule>(registry, "GradientDescent");
  AddDenseTraining<MomentumRule>(registry, "Momentum");
  AddSparseTraining<MomentumRule>(registry, "Momentum");
  AddDenseTrainingOfResources<KerasMomentumRule>(registry, "KerasMomentum");
  AddSparseTrainingOfResources<KerasMomentumRule>(registry, "KerasMomentum");
  AddDenseTraining<AddSignRule>(registry, "AddSign");
  AddDenseTraining<PowerSignRule>(registry, "PowerSign");
}

}  // namespace leat::kernels::cpu::training_descent
