// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the ops that draw the variable to zero, by the
// strengths l1 and l2: ApplyProximalGradientDescent, ApplyProximalAdagrad,
// ApplyAdagradDA, ApplyFtrl, ApplyFtrlV2, and their Resource and Sparse forms.
#include <array>
#include <cmath>

#include "leat/core/status_macros.h"
#include "leat/kernels/cpu/training_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::training_regularized {
namespace {

// Returns l1, or 0 if l1 is negative or NaN, which stand for no strength.
template <class W>
W Strength(W l1) {
  return l1 > W(0) ? l1 : W(0);
}

// Draws each element of x to zero by `distance`, and not beyond zero.
template <class X, class Distance>
auto DrawnToZero(const X& x, const Distance& distance) {
  using W = typename X::Scalar;
  return SignOf(x) * (x.abs() - distance).max(W(0));
}

absl::Status CheckStrengths(double l1, double l2) {
  LEAT_RETURN_IF_ERROR(RequireOfScalar(
      l1 >= 0, "l1 regularization strength is not a non-negative scalar"));
  return RequireOfScalar(
      l2 >= 0, "l2 regularization strength is not a non-negative scalar");
}

// ApplyProximalGradientDescent (Duchi and Singer, "Efficient Learning using
// Forward-Backward Splitting", 2009) computes:
//
//   x = var - alpha * delta
//   var = sign(x) * max(|x| - alpha * l1, 0) / (1 + alpha * l2)
struct ProximalGradientDescentRule {
  static constexpr int kVariables = 1;
  static constexpr auto kTypes = kFloats;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W alpha = s[0], l1 = Strength(s[1]), l2 = s[2];
    v[0] -= grad * alpha;
    v[0] = DrawnToZero(v[0], alpha * l1) / (W(1) + alpha * l2);
  }
};

// ApplyProximalAdagrad does the same with a rate for each element:
//
//   accum += grad^2
//   rate = lr / sqrt(accum)
//   x = var - rate * grad
//   var = sign(x) * max(|x| - rate * l1, 0) / (1 + rate * l2)
struct ProximalAdagradRule {
  static constexpr int kVariables = 2;
  static constexpr auto kTypes = kFloats;
  static absl::Status Check(const RuleOptions&, const Scalars& s) {
    LEAT_RETURN_IF_ERROR(
        RequireOfScalar(s[0].real() > 0, "lr is not a positive scalar"));
    return CheckStrengths(s[1].real(), s[2].real());
  }
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], l1 = s[1], l2 = s[2];
    v[1] += grad.square();
    const auto rate = SqrtOf(v[1]).inverse() * lr;
    v[0] -= grad * rate;
    v[0] = DrawnToZero(v[0], rate * l1) / (rate * l2 + W(1));
  }
};

// ApplyAdagradDA, the form of Adagrad with dual averaging, computes the
// variable anew from the sums of the gradients and of their squares:
//
//   gradient_accumulator += grad
//   gradient_squared_accumulator += grad^2
//   x = gradient_accumulator
//   var = -lr * sign(x) * max(|x| - l1 * global_step, 0) /
//         (l2 * global_step * lr + sqrt(gradient_squared_accumulator))
//
// TensorFlow's sparse op divides by global_step first. So its results differ
// from these if global_step is not positive.
struct AdagradDARule {
  static constexpr int kVariables = 3;
  static constexpr auto kTypes = kFloats;
  template <class W>
  static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
                     const ConstStretch<W>& grad) {
    const W lr = s[0], l1 = Strength(s[1]), l2 = s[2], global_step = s[3];
    v[1] += grad;
    v[2] += grad.square();
    v[0] = DrawnToZero(v[1], l1 * global_step) * -lr /
           (SqrtOf(v[2]) + l2 * global_step * lr);
  }
};

// The scalars of ApplyFtrl and ApplyFtrlV2. Only the latter has l2_shrinkage.
template <class N>
struct FtrlScalars {
  N lr, l1, l2, l2_shrinkage, lr_power;
};

// Refuses what the sparse ops refuse in TensorFlow. The dense ops accept any
// scalars.
absl::Status CheckFtrl(const RuleOptions& options,
                       const FtrlScalars<double>& s) {
  if (!options.is_sparse) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(RequireOfScalar(
      s.lr > 0 || (s.lr == 0 && options.multiply_linear_by_lr),
      "lr is not a positive scalar (or zero if multiply_linear_by_lr is set)"));
  LEAT_RETURN_IF_ERROR(CheckStrengths(s.l1, s.l2));
  LEAT_RETURN_IF_ERROR(RequireOfScalar(
      s.l2_shrinkage >= 0,
      "l2 shrinkage regularization strength is not a non-negative scalar"));
  return RequireOfScalar(s.lr_power <= 0,
                         "lr_power is not a non-positive scalar");
}

// `root` computes x^-lr_power, which is usually the square root.
template <class W, class Root>
void UpdateFtrl(const RuleOptions& options, const FtrlScalars<W>& s, Root root,
                Stretch<W>* v, const ConstStretch<W>& grad) {
  // If multiply_linear_by_lr is set, `linear` is lr times as large.
  const W unit = options.multiply_linear_by_lr ? s.lr : W(1);
  const W divisor = options.multiply_linear_by_lr ? W(1) : s.lr;
  Stretch<W>&var = v[0], &accum = v[1], &linear = v[2];
  linear += (grad + var * (2 * s.l2_shrinkage)) * unit -
            (root(accum + grad.square()) - root(accum)) / divisor * var;
  accum += grad.square();
  const W l1 = s.l1 * unit;
  const auto result = (SignOf(linear) * linear.abs().min(l1) - linear) /
                      (root(accum) / divisor + 2 * s.l2 * unit);
  if (options.is_sparse) {
    var = result;
  } else {
    var = (linear.abs() > l1).select(result, W(0));  // 0 if `linear` is NaN
  }
}

// ApplyFtrl (McMahan et al., "Ad Click Prediction: a View from the Trenches",
// 2013) and ApplyFtrlV2, which has l2_shrinkage, compute:
//
//   root(x) = x^-lr_power
//   change = root(accum + grad^2) - root(accum)
//   linear += grad + 2 * l2_shrinkage * var - change / lr * var
//   accum += grad^2
//   var = (sign(linear) * min(|linear|, l1) - linear) /
//         (root(accum) / lr + 2 * l2)
template <bool kHasShrinkage>
struct FtrlRule {
  static constexpr int kVariables = 3;
  static constexpr auto kTypes = kFloats;
  static absl::Status Check(const RuleOptions& options, const Scalars& s) {
    std::array<double, 5> reals = {};
    for (size_t i = 0; i < s.size(); ++i) reals[i] = s[i].real();
    return CheckFtrl(options, Named(reals.data()));
  }
  template <class W>
  static void Update(const RuleOptions& options, const W* scalars,
                     Stretch<W>* v, const ConstStretch<W>& grad) {
    const FtrlScalars<W> s = Named(scalars);
    if (s.lr_power == W(-0.5)) {
      const auto root = [](const auto& x) { return SqrtOf(x); };
      UpdateFtrl(options, s, root, v, grad);
    } else {
      // Eigen's own power may round vectors in another way than single
      // elements. Then results would depend on how the elements are split.
      const auto root = [&](const auto& x) {
        return x.unaryExpr(
            [power = -s.lr_power](W a) { return std::pow(a, power); });
      };
      UpdateFtrl(options, s, root, v, grad);
    }
  }

 private:
  template <class N>
  static FtrlScalars<N> Named(const N* s) {
    if constexpr (kHasShrinkage) return {s[0], s[1], s[2], s[3], s[4]};
    return {s[0], s[1], s[2], N(0), s[3]};
  }
};

}  // namespace

void Register(KernelRegistry& registry) {
  AddDenseTraining<ProximalGradientDescentRule>(registry,
                                                "ProximalGradientDescent");
  AddSparseTraining<ProximalGradientDescentRule>(registry,
                                                 "ProximalGradientDescent");
  AddDenseTraining<ProximalAdagradRule>(registry, "ProximalAdagrad");
  AddSparseTraining<ProximalAdagradRule>(registry, "ProximalAdagrad");
  AddDenseTraining<AdagradDARule>(registry, "AdagradDA");
  AddSparseTraining<AdagradDARule>(registry, "AdagradDA");
  AddDenseTraining<FtrlRule<false>>(registry, "Ftrl");
  AddSparseTraining<FtrlRule<false>>(registry, "Ftrl");
  AddDenseTraining<FtrlRule<true>>(registry, "FtrlV2");
  AddSparseTraining<FtrlRule<true>>(registry, "FtrlV2");
}

}  // namespace leat::kernels::cpu::training_regularized
