// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The update rules of TensorFlow's training ops, element by element, shared by
// the dense and the sparse form. A rule names the op's inputs in order (the
// variables, the scalars, "grad" or "delta", "indices") and updates a stretch
// of elements; scalars come in the order of their names.
#ifndef LEAT_KERNELS_CPU_TRAINING_RULES_H_
#define LEAT_KERNELS_CPU_TRAINING_RULES_H_

#include <cmath>
#include <cstdint>

#include "Eigen/Core"

namespace leat::kernels::cpu {

// A stretch of a variable, and of a gradient.
template <class W>
using Stretch = Eigen::Map<Eigen::Array<W, Eigen::Dynamic, 1>>;
template <class W>
using ConstStretch = Eigen::Map<const Eigen::Array<W, Eigen::Dynamic, 1>>;

struct RuleOptions {
  bool use_nesterov = false;
  bool update_slots = true;
};

struct GradientDescentRule {
  static constexpr int kVariables = 1;
  static constexpr const char* kInputs[] = {"var", "alpha", "delta"};
  template <class W>
  static void Update(const RuleOptions&, const W* scalars, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    v[0] -= grad * scalars[0];
  }
};

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

struct MomentumRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kInputs[] = {"var", "accum", "lr", "grad",
                                            "momentum"};
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    UpdateMomentum(options, s[0], s[1], v, grad);
  }
};
struct SparseMomentumRule : MomentumRule {
  static constexpr const char* kInputs[] = {"var",  "accum",   "lr",
                                            "grad", "indices", "momentum"};
};

struct AdagradRule {
  static constexpr int kVariables = 2;
  static constexpr const char* kInputs[] = {"var", "accum", "lr", "grad"};
  template <class W>
  static void Update(const RuleOptions& options, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    if (options.update_slots) v[1] += grad.square();
    v[0] -= grad * s[0] / v[1].sqrt();
  }
};
struct SparseAdagradRule : AdagradRule {
  static constexpr const char* kInputs[] = {"var", "accum", "lr", "grad",
                                            "indices"};
};

// Kingma and Ba, "Adam" (2014), with the bias correction in the step size.
struct AdamRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kInputs[] = {
      "var", "m",     "v",     "beta1_power", "beta2_power",
      "lr",  "beta1", "beta2", "epsilon",     "grad"};
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

struct RMSPropRule {
  static constexpr int kVariables = 3;
  static constexpr const char* kInputs[] = {
      "var", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"};
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[1] += (grad.square() - v[1]) * (W(1) - rho);
    v[2] = v[2] * momentum + (grad * lr) / (v[1] + epsilon).sqrt();
    v[0] -= v[2];
  }
};
struct SparseRMSPropRule : RMSPropRule {
  static constexpr const char* kInputs[] = {"var",     "ms",   "mom",
                                            "lr",      "rho",  "momentum",
                                            "epsilon", "grad", "indices"};
};

struct CenteredRMSPropRule {
  static constexpr int kVariables = 4;
  static constexpr const char* kInputs[] = {
      "var", "mg", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"};
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
