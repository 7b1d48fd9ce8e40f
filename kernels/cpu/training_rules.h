// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the update rules of TensorFlow's training ops, such as ApplyAdam.
// DenseTraining and SparseTraining (training_kernel.h) turn a rule into a
// kernel. So the dense and the sparse form of an op share one rule. The rules
// are stateless.
//
// A rule is a class with these static members:
//
//   kVariables  how many variables the op updates; they are its first inputs
//   Update      updates a stretch of elements
//
// Update gets the same stretch of each variable in `v` (v[0] is `var`) and of
// the gradient. Update also gets the values of the scalar inputs, in the order
// of their names. W is the type of the arithmetic.
#ifndef LEAT_KERNELS_CPU_TRAINING_RULES_H_
#define LEAT_KERNELS_CPU_TRAINING_RULES_H_

#include <cmath>
#include <cstdint>

#include "Eigen/Core"

namespace leat::kernels::cpu {

// These are views of adjacent elements. A Stretch is a view of a variable, and
// a ConstStretch is a view of a gradient. They own nothing.
template <class W>
using Stretch = Eigen::Map<Eigen::Array<W, Eigen::Dynamic, 1>>;
template <class W>
using ConstStretch = Eigen::Map<const Eigen::Array<W, Eigen::Dynamic, 1>>;

// Holds the attrs that change what a rule does. A rule ignores the attrs that
// its ops do not have.
struct RuleOptions {
  bool use_nesterov = false;  // attr of Momentum and Adam
  bool update_slots = true;   // attr of Adagrad; true: updates accum
};

// ApplyGradientDescent computes:
//
//   var -= alpha * delta
struct GradientDescentRule {
  static constexpr int kVariables = 1;
  template <class W>
  static void Update(const RuleOptions&, const W* scalars, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    v[0] -= grad * scalars[0];
  }
};

// Updates `var` (v[0]) and `accum` (v[1]) by the rule of ApplyMomentum.
template <class W>
void UpdateMomentum(const RuleOptions& options, W lr, W momentum, Stretch<W>* v,
                    const ConstStretch<W>& grad) {
  v[1] = v[1] * momentum + grad;
  if (options.use_nesterov) {
    v[0] -= grad * lr + v[1] * momentum * lr;
  } else {
    v[0] -= v[1] * lr;
  }
}

// ApplyMomentum computes:
//
//   accum = momentum * accum + grad
//   var -= lr * accum
//   var -= lr * grad + lr * momentum * accum     (instead, with use_nesterov)
struct MomentumRule {
  static constexpr int kVariables = 2;
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    UpdateMomentum(options, s[0], s[1], v, grad);
  }
};

// ApplyAdagrad (Duchi, Hazan and Singer, "Adaptive Subgradient Methods", 2011)
// computes:
//
//   accum += grad^2                              (with update_slots)
//   var -= lr * grad / sqrt(accum)
struct AdagradRule {
  static constexpr int kVariables = 2;
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    if (options.update_slots) v[1] += grad.square();
    v[0] -= grad * s[0] / v[1].sqrt();
  }
};

// ApplyAdam (Kingma and Ba, "Adam", 2014) computes, with the correction of the
// bias in the step size:
//
//   alpha = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
//   m += (grad - m) * (1 - beta1)
//   v += (grad^2 - v) * (1 - beta2)
//   var -= alpha * m / (sqrt(v) + epsilon)
//
// With use_nesterov, (1 - beta1) * grad + beta1 * m replaces m in the last
// line.
struct AdamRule {
  static constexpr int kVariables = 3;
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W one = W(1), beta1 = s[3], beta2 = s[4], epsilon = s[5];
    const W alpha = s[2] * std::sqrt(one - s[1]) / (one - s[0]);
    v[1] += (grad - v[1]) * (one - beta1);
    v[2] += (grad.square() - v[2]) * (one - beta2);
    if (options.use_nesterov) {
      v[0] -= ((grad * (one - beta1) + beta1 * v[1]) * alpha) /
              (v[2].sqrt() + epsilon);
    } else {
      v[0] -= (v[1] * alpha) / (v[2].sqrt() + epsilon);
    }
  }
};

// ApplyRMSProp (Tieleman and Hinton, 2012) computes:
//
//   ms += (grad^2 - ms) * (1 - rho)
//   mom = momentum * mom + lr * grad / sqrt(ms + epsilon)
//   var -= mom
struct RMSPropRule {
  static constexpr int kVariables = 3;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[1] += (grad.square() - v[1]) * (W(1) - rho);
    v[2] = v[2] * momentum + (grad * lr) / (v[1] + epsilon).sqrt();
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
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[2] += (grad.square() - v[2]) * (W(1) - rho);
    v[1] += (grad - v[1]) * (W(1) - rho);
    v[3] = v[3] * momentum +
           (grad * lr) / ((v[2] - v[1].square()) + epsilon).sqrt();
    v[0] -= v[3];
  }
};

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_TRAINING_RULES_H_
