// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DenseTraining (for example ApplyAdam) and SparseTraining (for example
// SparseApplyMomentum) are the kernels of TensorFlow's training ops. Both apply
// an update rule of training_rules.h.
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
//
//   AddTraining<DenseTraining, AdamRule>(registry, "ApplyAdam");
#ifndef LEAT_KERNELS_CPU_TRAINING_KERNEL_H_
#define LEAT_KERNELS_CPU_TRAINING_KERNEL_H_

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/cpu/training_rules.h"
#include "leat/kernels/functors/number_types.h"
#include "leat/kernels/indices/index_errors.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/training_inputs.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::cpu {

// Returns the values of the scalars in the type of the arithmetic.
template <class T>
absl::InlinedVector<Wide<T>, 6> ScalarsOf(const TrainingInputs& inputs) {
  absl::InlinedVector<Wide<T>, 6> scalars;
  for (const Tensor* scalar : inputs.scalars()) {
    scalars.push_back(static_cast<Wide<T>>(scalar->scalar<T>()));
  }
  return scalars;
}

// Applies the rule to the elements [offset, offset + count) of each variable on
// the calling thread. gradient[0] belongs to the element at `offset`. 16-bit
// floats are copied to blocks of float, updated there, and rounded back.
// REQUIRES: the variables are locked exclusively and contain these elements.
template <class Rule, class T, class W>
void UpdateStretch(const RuleOptions& options, const W* scalars,
                   absl::Span<Tensor* const> values, int64_t offset,
                   const T* gradient, int64_t count) {
  // `at` points to the start of the stretch in each variable.
  std::array<T*, Rule::kVariables> at;
  for (int i = 0; i < Rule::kVariables; ++i) {
    at[i] = values[i]->mutable_data<T>().data() + offset;
  }
  // Applies the rule to arrays of W. Wraps them as Eigen arrays, because Eigen
  // vectorises their arithmetic.
  auto update = [&](std::array<W*, Rule::kVariables> v, const W* grad,
                    int64_t size) {
    auto stretches = [&]<size_t... i>(std::index_sequence<i...>) {
      return std::array<Stretch<W>, Rule::kVariables>{
          Stretch<W>(v[i], size)...};
    }
    (std::make_index_sequence<Rule::kVariables>());
    Rule::template Update<W>(options, scalars, stretches.data(),
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

// Updates all elements of the variables. Compute returns INVALID_ARGUMENT if
// the shapes of the variables and the gradient differ. Is immutable and so
// thread-safe.
template <class Rule, class T>
class DenseTraining final : public Kernel {
 public:
  explicit DenseTraining(const RuleOptions& options) : options_(options) {}

  // Returns the errors of TrainingInputs::Read, and INVALID_ARGUMENT if shapes
  // differ.
  absl::Status Compute(KernelContext& context) const final {
    TrainingInputs inputs;
    LEAT_RETURN_IF_ERROR(inputs.Read(context, kDTypeOf<T>));
    LEAT_RETURN_IF_ERROR(
        UpdateTogether(context.step().device->allocator(), inputs.variables(),
                       [&](absl::Span<Tensor* const> values) {
                         return Apply(context.compute_queue(), inputs, values);
                       }));
    ForwardRef(context);
    return absl::OkStatus();
  }

 private:
  // Updates the locked variables, whose tensors are `values`.
  absl::Status Apply(WorkQueue& queue, const TrainingInputs& inputs,
                     absl::Span<Tensor* const> values) const {
    LEAT_RETURN_IF_ERROR(inputs.CheckSlots(values));
    LEAT_RETURN_IF_ERROR(inputs.CheckGradient(values));
    const T* gradient = inputs.gradient.data<T>().data();
    const auto scalars = ScalarsOf<T>(inputs);
    ParallelFor(queue, values[0]->num_elements(), Rule::kVariables,
                [&](int64_t begin, int64_t end) {
                  UpdateStretch<Rule, T>(options_, scalars.data(), values,
                                         begin, gradient + begin, end - begin);
                });
    return absl::OkStatus();
  }

  const RuleOptions options_;
};

// Updates the rows of the first dimension that `indices` names. If `indices`
// names a row several times, the row is updated that many times, in order. If
// the shapes do not fit or an index is out of range, Compute returns
// INVALID_ARGUMENT and changes no row. A SparseTraining is immutable and so
// thread-safe.
template <class Rule, class T>
class SparseTraining final : public Kernel {
 public:
  explicit SparseTraining(const RuleOptions& options) : options_(options) {}

  absl::Status Compute(KernelContext& context) const final {
    TrainingInputs inputs;
    LEAT_RETURN_IF_ERROR(inputs.Read(context, kDTypeOf<T>));
    LEAT_RETURN_IF_ERROR(UpdateTogether(
        context.step().device->allocator(), inputs.variables(),
        [&](absl::Span<Tensor* const> values) {
          return Apply(context.compute_queue(), inputs, values);
        },
        /*rows=*/true));
    ForwardRef(context);
    return absl::OkStatus();
  }

 private:
  // Returns INVALID_ARGUMENT if an index is not below `rows`.
  static absl::Status CheckIndices(const Dims& indices, int64_t rows) {
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < 0 || indices[i] >= rows) {
        return IndexError(IndexRule::kTrainedRow, {}, static_cast<int64_t>(i),
                          {indices[i]}, {rows});
      }
    }
    return absl::OkStatus();
  }

  // Updates rows of the locked variables, whose tensors are `values`.
  absl::Status Apply(WorkQueue& queue, const TrainingInputs& inputs,
                     absl::Span<Tensor* const> values) const {
    LEAT_RETURN_IF_ERROR(inputs.CheckSlots(values));
    LEAT_RETURN_IF_ERROR(inputs.CheckRows(values));
    LEAT_ASSIGN_OR_RETURN(const Dims indices,
                          GetIndices(inputs.indices, "indices"));
    LEAT_RETURN_IF_ERROR(CheckIndices(indices, values[0]->dim(0)));
    if (values[0]->num_elements() == 0) return absl::OkStatus();
    // `width` is the number of elements in a row.
    const int64_t rows = values[0]->dim(0);
    const int64_t width = values[0]->num_elements() / rows;
    const T* gradient = inputs.gradient.data<T>().data();
    const auto scalars = ScalarsOf<T>(inputs);
    const int64_t count = static_cast<int64_t>(indices.size());
    // Each chunk owns a range of rows, so that equal indices are handled by the
    // same thread and in order.
    const int64_t cost = count * width * Rule::kVariables / rows + 1;
    ParallelFor(queue, rows, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < count; ++i) {
        if (indices[i] < begin || indices[i] >= end) continue;
        UpdateStretch<Rule, T>(options_, scalars.data(), values,
                               indices[i] * width, gradient + i * width, width);
      }
    });
    return absl::OkStatus();
  }

  const RuleOptions options_;
};

// Makes the kernel K<Rule, T>, where T is the node's type.
template <template <class, class> class K, class Rule>
absl::StatusOr<std::unique_ptr<Kernel>> MakeTraining(const NodeDef& node) {
  RuleOptions options;
  LEAT_ASSIGN_OR_RETURN(options.use_nesterov,
                        node.attrs.GetOr<bool>("use_nesterov", false));
  LEAT_ASSIGN_OR_RETURN(options.update_slots,
                        node.attrs.GetOr<bool>("update_slots", true));
  return MakeForType(node, "T", kFloatsAndComplexes, [&](auto type) {
    using T = typename decltype(type)::type;
    return std::make_unique<K<Rule, T>>(options);
  });
}

// Registers the kernel for two ops: `name`, whose variables are references, and
// "Resource" + `name`, whose variables are resource handles.
template <template <class, class> class K, class Rule>
void AddTraining(KernelRegistry& registry, absl::string_view name) {
  registry.Add(name, kCpu, &MakeTraining<K, Rule>);
  registry.Add(absl::StrCat("Resource", name), kCpu, &MakeTraining<K, Rule>);
}

}  // namespace leat::kernels::cpu

#endif  // LEAT_KERNELS_CPU_TRAINING_KERNEL_H_
