// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/training.h"

#include <cmath>

#include "leat/kernels/cuda/device/launch.h"
#include "leat/kernels/functors/number_types.h"

namespace leat::cuda {
namespace {

// Each rule updates one element of the variables v with the scalars s. W is the
// type of the arithmetic.
struct GradientDescent {
  static constexpr int kVariables = 1, kScalars = 1;
  template <class W>
  LEAT_DEVICE static void Update(const TrainingOperands&, const W* s, W* v,
                                 W grad) {
    v[0] -= grad * s[0];
  }
};

struct Momentum {
  static constexpr int kVariables = 2, kScalars = 2;
  template <class W>
  LEAT_DEVICE static void Update(const TrainingOperands& o, const W* s, W* v,
                                 W grad) {
    const W lr = s[0], momentum = s[1];
    v[1] = v[1] * momentum + grad;
    v[0] -= o.use_nesterov ? grad * lr + v[1] * momentum * lr : v[1] * lr;
  }
};

struct Adagrad {
  static constexpr int kVariables = 2, kScalars = 1;
  template <class W>
  LEAT_DEVICE static void Update(const TrainingOperands& o, const W* s, W* v,
                                 W grad) {
    if (o.update_slots) v[1] += grad * grad;
    v[0] -= grad * s[0] / std::sqrt(v[1]);
  }
};

struct Adam {
  static constexpr int kVariables = 3, kScalars = 6;
  template <class W>
  LEAT_DEVICE static void Update(const TrainingOperands& o, const W* s, W* v,
                                 W grad) {
    const W one = W(1), beta1 = s[3], beta2 = s[4], epsilon = s[5];
    const W alpha = s[2] * std::sqrt(one - s[1]) / (one - s[0]);
    v[1] += (grad - v[1]) * (one - beta1);
    v[2] += (grad * grad - v[2]) * (one - beta2);
    const W m = o.use_nesterov ? grad * (one - beta1) + beta1 * v[1] : v[1];
    v[0] -= (m * alpha) / (std::sqrt(v[2]) + epsilon);
  }
};

struct RMSProp {
  static constexpr int kVariables = 3, kScalars = 4;
  template <class W>
  LEAT_DEVICE static void Update(const TrainingOperands&, const W* s, W* v,
                                 W grad) {
    const W lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[1] += (grad * grad - v[1]) * (W(1) - rho);
    v[2] = v[2] * momentum + (grad * lr) / std::sqrt(v[1] + epsilon);
    v[0] -= v[2];
  }
};

struct CenteredRMSProp {
  static constexpr int kVariables = 4, kScalars = 4;
  template <class W>
  LEAT_DEVICE static void Update(const TrainingOperands&, const W* s, W* v,
                                 W grad) {
    const W lr = s[0], rho = s[1], momentum = s[2], epsilon = s[3];
    v[2] += (grad * grad - v[2]) * (W(1) - rho);
    v[1] += (grad - v[1]) * (W(1) - rho);
    v[3] = v[3] * momentum +
           (grad * lr) / std::sqrt((v[2] - v[1] * v[1]) + epsilon);
    v[0] -= v[3];
  }
};

template <class Rule, class T>
struct Update {
  using W = kernels::Wide<T>;
  TrainingOperands o;

  LEAT_DEVICE void operator()(int64_t i) const {
    W scalars[Rule::kScalars];
    for (int k = 0; k < Rule::kScalars; ++k) {
      scalars[k] = static_cast<W>(*static_cast<const T*>(o.scalars[k]));
    }
    W values[Rule::kVariables];
    for (int k = 0; k < Rule::kVariables; ++k) {
      values[k] = static_cast<W>(static_cast<T*>(o.variables[k])[i]);
    }
    Rule::Update(o, scalars, values,
                 static_cast<W>(static_cast<const T*>(o.gradient)[i]));
    for (int k = 0; k < Rule::kVariables; ++k) {
      static_cast<T*>(o.variables[k])[i] = static_cast<T>(values[k]);
    }
  }
};

}  // namespace

bool LaunchTraining(CUstream_st* stream, TrainingRule rule, ElementType type,
                    const TrainingOperands& operands) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto launch = [&](auto rule_tag) {
      ForEach(stream, operands.n, Update<decltype(rule_tag), T>{operands});
    };
    switch (rule) {
      case TrainingRule::kGradientDescent:
        return launch(GradientDescent());
      case TrainingRule::kMomentum:
        return launch(Momentum());
      case TrainingRule::kAdagrad:
        return launch(Adagrad());
      case TrainingRule::kAdam:
        return launch(Adam());
      case TrainingRule::kRMSProp:
        return launch(RMSProp());
      case TrainingRule::kCenteredRMSProp:
        return launch(CenteredRMSProp());
    }
  });
}

}  // namespace leat::cuda
