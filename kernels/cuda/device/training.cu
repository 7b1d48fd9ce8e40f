// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/cuda/device/training.h"

#include <cmath>

#include "leat/kernels/cuda/device/find_index.h"
#include "leat/kernels/cuda/device/index_map.h"
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

// Holds element i of the variables while a rule updates it.
template <class Rule, class T>
struct Element {
  using W = kernels::Wide<T>;
  const TrainingOperands& o;
  int64_t i;
  W scalars[Rule::kScalars];
  W values[Rule::kVariables];

  LEAT_DEVICE Element(const TrainingOperands& operands, int64_t index)
      : o(operands), i(index) {
    for (int k = 0; k < Rule::kScalars; ++k) {
      scalars[k] = static_cast<W>(*static_cast<const T*>(o.scalars[k]));
    }
    for (int k = 0; k < Rule::kVariables; ++k) {
      values[k] = static_cast<W>(static_cast<T*>(o.variables[k])[i]);
    }
  }
  // Updates the element by element `at` of the gradient. Rounds the result.
  LEAT_DEVICE void Apply(int64_t at) {
    Rule::Update(o, scalars, values,
                 static_cast<W>(static_cast<const T*>(o.gradient)[at]));
    for (int k = 0; k < Rule::kVariables; ++k) {
      values[k] = static_cast<W>(static_cast<T>(values[k]));
    }
  }
  LEAT_DEVICE void Store() {
    for (int k = 0; k < Rule::kVariables; ++k) {
      static_cast<T*>(o.variables[k])[i] = static_cast<T>(values[k]);
    }
  }
};

template <class Rule, class T>
struct Update {
  TrainingOperands o;

  LEAT_DEVICE void operator()(int64_t i) const {
    Element<Rule, T> element(o, i);
    element.Apply(i);
    element.Store();
  }
};

// Makes, for each row, a linked list of the indices that name it. The rows are
// in a hash table with linear probing.
struct ListRows {
  TrainedRows r;

  LEAT_DEVICE void operator()(int64_t k) const {
    const int64_t i = r.count - 1 - k;  // backwards: lists grow at the front
    const int64_t row = FindIndex(r.indices, i, /*reports=*/true);
    if (row < 0) return;
    const uint64_t mask = static_cast<uint64_t>(r.table_size) - 1;
    uint64_t place = static_cast<uint64_t>(row) * 0x9e3779b97f4a7c15u >> 20;
    for (;; ++place) {
      place &= mask;
      const int64_t old = CompareAndSwap(r.rows + place, int64_t{-1}, row);
      if (old == -1 || old == row) break;
    }
    r.links[i] = AtomicExchange(r.heads + place, i);
  }
};

// Updates one element of one row in the table. The map gives two numbers: at[0]
// is the row's place in the table, and at[1] is the column.
template <class Rule, class T>
struct UpdateRows {
  IndexMap<2> map;
  TrainingOperands o;
  TrainedRows r;

  LEAT_DEVICE void operator()(int64_t i) const {
    int64_t at[2];
    map.Find(i, at);
    const int64_t row = r.rows[at[0]];
    if (row < 0) return;
    Element<Rule, T> element(o, row * r.inner + at[1]);
    for (int64_t k = r.heads[at[0]]; k >= 0; k = r.links[k]) {
      element.Apply(k * r.inner + at[1]);
    }
    element.Store();
  }
};

template <class Rule>
bool LaunchRows(CUstream_st* stream, ElementType type,
                const TrainingOperands& operands, const TrainedRows& rows) {
  return VisitType(Floats(), type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ForEach(stream, rows.count, ListRows{rows});
    ForEach(stream, rows.table_size * rows.inner,
            UpdateRows<Rule, T>{MakeIndexMap<2>({{rows.table_size, {1, 0}},
                                                 {rows.inner, {0, 1}}}),
                                operands, rows});
  });
}

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

bool LaunchSparseTraining(CUstream_st* stream, TrainingRule rule,
                          ElementType type, const TrainingOperands& operands,
                          const TrainedRows& rows) {
  switch (rule) {
    case TrainingRule::kMomentum:
      return LaunchRows<Momentum>(stream, type, operands, rows);
    case TrainingRule::kAdagrad:
      return LaunchRows<Adagrad>(stream, type, operands, rows);
    case TrainingRule::kRMSProp:
      return LaunchRows<RMSProp>(stream, type, operands, rows);
    default:
      return false;
  }
}

}  // namespace leat::cuda
