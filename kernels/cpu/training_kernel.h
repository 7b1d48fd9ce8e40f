// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DenseTraining (for example ApplyAdam) and SparseTraining (for example
// SparseApplyMomentum) are the kernels of TensorFlow's training ops. Both apply
// an update rule. So the dense and the sparse ops of an optimizer share one
// rule, and so do the ops on references and on resource handles.
//
// A rule is a class with these static members:
//
//   kVariables  how many variables the op updates; they are its first inputs
//   kTypes      the element types that the op takes
//   Update      updates a stretch of elements
//   Check       is optional; returns an error if it refuses the scalar inputs
//   kIndexRule  is optional; says how the error for a wrong index reads
//
// Update gets the same stretch of each variable in `v` (v[0] is `var`) and of
// the gradient. Update also gets the values of the scalar inputs, in the order
// of the op's inputs. W is the type of the arithmetic.
//
//   struct DescentRule {  // var -= alpha * delta
//     static constexpr int kVariables = 1;
//     static constexpr auto kTypes = kFloatsAndComplexes;
//     template <class W>
//     static void Update(const RuleOptions&, const W* s, Stretch<W>* v,
//                        const ConstStretch<W>& grad) {
//       v[0] -= grad * s[0];
//     }
//   };
//   AddDenseTraining<DescentRule>(registry, "GradientDescent");
//
// A run has these steps. TrainingInputs::Read finds the variables and reads the
// scalars. UpdateTogether locks all variables of the op exclusively, in an
// order that excludes deadlocks. If a snapshot shares the bytes of a value,
// UpdateTogether copies the value first. The shapes are checked under the
// locks, because until then another step may assign a value of another shape.
// UpdateStretch applies the rule to parts of the variables, in parallel.
//
// Variables are references or resource handles; the ops on references output
// the reference to `var` again. The attr `use_locking` is accepted and has no
// effect: an update always holds the locks of its variables.
#ifndef LEAT_KERNELS_CPU_TRAINING_KERNEL_H_
#define LEAT_KERNELS_CPU_TRAINING_KERNEL_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "Eigen/Core"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/training_inputs.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::cpu {

// These are views of adjacent elements. A Stretch is a view of a variable, and
// a ConstStretch is a view of a gradient. They own nothing.
template <class W>
using Stretch = Eigen::Map<Eigen::Array<W, Eigen::Dynamic, 1>>;
template <class W>
using ConstStretch = Eigen::Map<const Eigen::Array<W, Eigen::Dynamic, 1>>;

// Returns an expression for the signs of elements: 1, 0, -1, or NaN for NaN.
template <class X>
auto SignOf(const X& x) {
  using W = typename X::Scalar;
  return x.unaryExpr([](W a) {
    return a > W(0) ? W(1) : a < W(0) ? W(-1) : a;
  });
}

// Returns an expression for the square roots of elements. Eigen's own one is
// less exact for floats, and NaN for infinity.
template <class X>
auto SqrtOf(const X& x) {
  using W = typename X::Scalar;
  return x.unaryExpr([](W a) { return std::sqrt(a); });
}

// Holds what changes what a rule does: attrs, and whether the op is sparse. A
// rule ignores the attrs that its ops do not have.
struct RuleOptions {
  bool is_sparse = false;
  bool use_nesterov = false;           // attr of Momentum and Adam
  bool update_slots = true;            // attr of Adagrad; true: updates accum
  bool multiply_linear_by_lr = false;  // attr of Ftrl
};

// The values of the scalar inputs, in the order of the op's inputs, for checks.
using Scalars = absl::InlinedVector<std::complex<double>, 6>;

inline Scalars ScalarsOf(const TrainingInputs& inputs) {
  Scalars scalars;
  for (const Tensor* tensor : inputs.scalars()) {
    VisitDType(kFloatsAndComplexes + kIndices, tensor->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T value = tensor->scalar<T>();
      if constexpr (kComplexes.Contains(kDTypeOf<T>)) {
        scalars.emplace_back(value.real(), value.imag());
      } else {
        scalars.emplace_back(static_cast<double>(value));
      }
    });
  }
  return scalars;
}

// Returns the value of a scalar, of type T or an integer, in the type of the
// arithmetic. It is rounded once.
template <class T>
Wide<T> ScalarAs(const Tensor& scalar) {
  using W = Wide<T>;
  using Real = typename Eigen::NumTraits<W>::Real;
  if (scalar.dtype() == DType::kInt32) {
    return W(static_cast<Real>(scalar.scalar<int32_t>()));
  }
  if (scalar.dtype() == DType::kInt64) {
    return W(static_cast<Real>(scalar.scalar<int64_t>()));
  }
  return static_cast<W>(scalar.scalar<T>());
}

// Returns the scalars in the type of the arithmetic. No op has more than 8.
template <class T>
std::array<Wide<T>, 8> ScalarsAs(absl::Span<const Tensor* const> scalars) {
  std::array<Wide<T>, 8> result = {};
  for (size_t i = 0; i < scalars.size(); ++i) {
    result[i] = ScalarAs<T>(*scalars[i]);
  }
  return result;
}

// Returns INVALID_ARGUMENT, with TensorFlow's text, unless `holds`. `what` says
// what is wrong with a scalar otherwise: "lr is not a positive scalar".
inline absl::Status RequireOfScalar(bool holds, absl::string_view what) {
  if (holds) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": []"));
}

// Describes what one run of a kernel updates, and how. Owns nothing.
struct TrainingRun {
  const RuleOptions& options;
  absl::Span<const Tensor* const> scalars;
  absl::Span<Tensor* const> values;  // of the variables, which are locked
  const Tensor& gradient;
  // Are set for sparse ops only.
  absl::Span<const int64_t> indices = {};
  int64_t width = 0;  // the number of elements in a row
};

// Applies the rule to the elements [offset, offset + count) of each variable on
// the calling thread. The first of them belongs to element `gradient_offset` of
// the gradient. 16-bit floats are copied to blocks of float, updated there, and
// rounded back. REQUIRES: the tensors contain these elements.
template <class Rule, class T, class W = Wide<T>>
void UpdateStretch(const TrainingRun& run, const std::array<W, 8>& scalars,
                   int64_t offset, int64_t gradient_offset, int64_t count) {
  // `at` points to the start of the stretch in each variable.
  std::array<T*, Rule::kVariables> at;
  for (int i = 0; i < Rule::kVariables; ++i) {
    at[i] = run.values[i]->mutable_data<T>().data() + offset;
  }
  const T* const gradient = run.gradient.data<T>().data() + gradient_offset;
  // Applies the rule to arrays of W. Wraps them as Eigen arrays, because Eigen
  // vectorises sums, products and quotients of them. It computes an expression
  // with SignOf or SqrtOf element by element.
  auto update = [&](std::array<W*, Rule::kVariables> v, const W* grad,
                    int64_t size) {
    auto stretches = [&]<size_t... i>(std::index_sequence<i...>) {
      return std::array<Stretch<W>, Rule::kVariables>{
          Stretch<W>(v[i], size)...};
    }
    (std::make_index_sequence<Rule::kVariables>());
    Rule::template Update<W>(run.options, scalars.data(), stretches.data(),
                             ConstStretch<W>(grad, size));
  };
  if constexpr (kComplexes.Contains(kDTypeOf<T>)) {
    // Eigen rounds vectors of complex numbers in another way than single ones.
    // So each element is updated alone, and the results do not depend on how
    // the elements are split.
    for (int64_t i = 0; i < count; ++i) {
      update(at, gradient + i, 1);
      for (T*& each : at) ++each;
    }
  } else if constexpr (std::is_same_v<T, W>) {
    update(at, gradient, count);
  } else {
    // The blocks of float are small enough to stay in the first-level cache.
    constexpr int64_t kBlock = 256;
    W block[Rule::kVariables][kBlock], grad[kBlock];
    std::array<W*, Rule::kVariables> blocks;
    for (int i = 0; i < Rule::kVariables; ++i) blocks[i] = block[i];
    for (int64_t done = 0; done < count; done += kBlock) {
      const int64_t size = std::min(kBlock, count - done);
      for (int64_t j = 0; j < size; ++j) grad[j] = gradient[done + j];
      for (int i = 0; i < Rule::kVariables; ++i) {
        for (int64_t j = 0; j < size; ++j) block[i][j] = at[i][done + j];
      }
      update(blocks, grad, size);
      for (int i = 0; i < Rule::kVariables; ++i) {
        for (int64_t j = 0; j < size; ++j) at[i][done + j] = T(block[i][j]);
      }
    }
  }
}

// Updates the elements [begin, end) of the variables on the calling thread.
template <class Rule, class T>
void UpdateElements(const TrainingRun& run, int64_t begin, int64_t end) {
  UpdateStretch<Rule, T>(run, ScalarsAs<T>(run.scalars), begin, begin,
                         end - begin);
}

// Updates the rows of [begin, end) that the indices name, in the order of the
// indices, on the calling thread.
template <class Rule, class T>
void UpdateRows(const TrainingRun& run, int64_t begin, int64_t end) {
  const auto scalars = ScalarsAs<T>(run.scalars);
  for (size_t i = 0; i < run.indices.size(); ++i) {
    const int64_t row = run.indices[i];
    if (row < begin || row >= end) continue;
    UpdateStretch<Rule, T>(run, scalars, row * run.width,
                           static_cast<int64_t>(i) * run.width, run.width);
  }
}

// A rule for variables of one dtype. `update` is UpdateElements or UpdateRows.
struct TypedRule {
  DType dtype;
  int num_variables;
  IndexRule index_rule;
  absl::Status (*check)(const RuleOptions&, const Scalars&);
  void (*update)(const TrainingRun& run, int64_t begin, int64_t end);
};

template <class Rule, class T, bool kIsSparse>
TypedRule TypedRuleOf() {
  TypedRule result = {.dtype = kDTypeOf<T>,
                      .num_variables = Rule::kVariables,
                      .index_rule = IndexRule::kTrainedRow,
                      .check = [](const RuleOptions&,
                                  const Scalars&) { return absl::OkStatus(); },
                      .update = nullptr};
  if constexpr (kIsSparse) {
    result.update = &UpdateRows<Rule, T>;
  } else {
    result.update = &UpdateElements<Rule, T>;
  }
  if constexpr (requires { Rule::kIndexRule; }) {
    result.index_rule = Rule::kIndexRule;
  }
  if constexpr (requires { &Rule::Check; }) result.check = &Rule::Check;
  return result;
}

// Is the base class of the kernels of dense and of sparse ops. A Training is
// immutable and therefore thread-safe.
class Training : public Kernel {
 public:
  Training(const TypedRule& rule, const RuleOptions& options)
      : rule_(rule), options_(options) {}

  // Returns the errors of TrainingInputs::Read, of the rule and of Apply. If it
  // fails, no variable has changed.
  absl::Status Compute(KernelContext& context) const final {
    TrainingInputs inputs;
    LEAT_RETURN_IF_ERROR(inputs.Read(context, rule_.dtype));
    LEAT_RETURN_IF_ERROR(rule_.check(options_, ScalarsOf(inputs)));
    LEAT_RETURN_IF_ERROR(UpdateTogether(
        context.step().device->allocator(), inputs.variables(),
        [&](absl::Span<Tensor* const> values) {
          return Apply(context.compute_queue(), inputs,
                       {options_, inputs.scalars(), values, inputs.gradient});
        },
        /*rows=*/options_.is_sparse));
    ForwardRef(context);
    return absl::OkStatus();
  }

 protected:
  // Checks the shapes and updates the locked variables with `rule_`.
  virtual absl::Status Apply(WorkQueue& queue, const TrainingInputs& inputs,
                             TrainingRun run) const = 0;

  const TypedRule rule_;

 private:
  const RuleOptions options_;
};

// Updates all elements of the variables. Compute returns INVALID_ARGUMENT if
// the shapes of the variables and the gradient differ.
class DenseTraining final : public Training {
 public:
  static constexpr bool kIsSparse = false;
  using Training::Training;

 private:
  absl::Status Apply(WorkQueue& queue, const TrainingInputs& inputs,
                     TrainingRun run) const final {
    LEAT_RETURN_IF_ERROR(inputs.CheckSlots(run.values));
    LEAT_RETURN_IF_ERROR(inputs.CheckGradient(run.values));
    ParallelFor(
        queue, run.values[0]->num_elements(), rule_.num_variables,
        [&](int64_t begin, int64_t end) { rule_.update(run, begin, end); });
    return absl::OkStatus();
  }
};

// Updates the rows of the first dimension that `indices` names. If `indices`
// names a row several times, the row is updated that many times, in order.
// Compute returns INVALID_ARGUMENT if the shapes do not fit or an index is out
// of range.
class SparseTraining final : public Training {
 public:
  static constexpr bool kIsSparse = true;
  using Training::Training;

 private:
  // Returns INVALID_ARGUMENT if an index is not below `rows`.
  absl::Status CheckIndices(const Dims& indices, int64_t rows) const {
    const int64_t count = static_cast<int64_t>(indices.size());
    for (int64_t i = 0; i < count; ++i) {
      if (indices[i] < 0 || indices[i] >= rows) {
        return IndexError(rule_.index_rule, {count}, i, {indices[i]}, {rows});
      }
    }
    return absl::OkStatus();
  }

  absl::Status Apply(WorkQueue& queue, const TrainingInputs& inputs,
                     TrainingRun run) const final {
    LEAT_RETURN_IF_ERROR(inputs.CheckSlots(run.values));
    LEAT_RETURN_IF_ERROR(inputs.CheckRows(run.values));
    LEAT_ASSIGN_OR_RETURN(const Dims indices,
                          GetIndices(inputs.indices, "indices"));
    const Tensor& var = *run.values[0];
    LEAT_RETURN_IF_ERROR(CheckIndices(indices, var.dim(0)));
    if (var.num_elements() == 0) return absl::OkStatus();
    const int64_t rows = var.dim(0);
    const int64_t count = static_cast<int64_t>(indices.size());
    run.indices = indices;
    run.width = var.num_elements() / rows;
    // Each chunk owns a range of rows, so that equal indices are handled by the
    // same thread and in order.
    const int64_t cost = count * run.width * rule_.num_variables / rows + 1;
    ParallelFor(queue, rows, cost, [&](int64_t begin, int64_t end) {
      rule_.update(run, begin, end);
    });
    return absl::OkStatus();
  }
};

// Makes the kernel K, DenseTraining or SparseTraining, of a rule.
template <class K, class Rule>
absl::StatusOr<std::unique_ptr<Kernel>> MakeTraining(const NodeDef& node) {
  RuleOptions options;
  options.is_sparse = K::kIsSparse;
  LEAT_ASSIGN_OR_RETURN(options.use_nesterov,
                        node.attrs.GetOr<bool>("use_nesterov", false));
  LEAT_ASSIGN_OR_RETURN(options.update_slots,
                        node.attrs.GetOr<bool>("update_slots", true));
  LEAT_ASSIGN_OR_RETURN(options.multiply_linear_by_lr,
                        node.attrs.GetOr<bool>("multiply_linear_by_lr", false));
  return MakeForType(node, "T", Rule::kTypes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return std::make_unique<K>(TypedRuleOf<Rule, T, K::kIsSparse>(), options);
  });
}

// These functions register the kernels of the ops of an optimizer.
// AddDenseTraining<MomentumRule>(registry, "Momentum") registers those of
// ApplyMomentum and ResourceApplyMomentum, and AddSparseTraining those of
// SparseApplyMomentum and ResourceSparseApplyMomentum. The functions whose name
// ends with "OfResources" leave out the ops on references.
template <class Rule>
void AddDenseTrainingOfResources(KernelRegistry& registry,
                                 absl::string_view optimizer) {
  registry.Add(absl::StrCat("ResourceApply", optimizer), kCpu,
               &MakeTraining<DenseTraining, Rule>);
}
template <class Rule>
void AddSparseTrainingOfResources(KernelRegistry& registry,
                                  absl::string_view optimizer) {
  registry.Add(absl::StrCat("ResourceSparseApply", optimizer), kCpu,
               &MakeTraining<SparseTraining, Rule>);
}
template <class Rule>
void AddDenseTraining(KernelRegistry& registry, absl::string_view optimizer) {
  AddDenseTrainingOfResources<Rule>(registry, optimizer);
  registry.Add(absl::StrCat("Apply", optimizer), kCpu,
               &MakeTraining<DenseTraining, Rule>);
}
template <class Rule>
void AddSparseTraining(KernelRegistry& registry, absl::string_view optimizer) {
  AddSparseTrainingOfResources<Rule>(registry, optimizer);
  registry.Add(absl::StrCat("SparseApply", optimizer), kCpu,
               &MakeTraining<SparseTraining, Rule>);
}

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_TRAINING_KERNEL_H_
