// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Gradients of ops: for every differentiable op a function that builds, with
// the generated op functions, the gradients of its inputs from those of its
// outputs. First-order, symbolic; TensorFlow's formulas.
#ifndef LEAT_GRAPH_GRADIENT_REGISTRY_H_
#define LEAT_GRAPH_GRADIENT_REGISTRY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/graph/output.h"

namespace leat {

// A gradient with respect to a gathered variable: rows `indices` (int vector)
// have gradients `values`; duplicates add up. `dense_shape` is the variable's.
struct IndexedSlices {
  Output values = {};
  Output indices = {};
  Output dense_shape = {};
};

// Nothing (no path), a tensor, or rows.
class Gradient {
 public:
  Gradient() = default;
  Gradient(Output dense) : dense_(dense) {}            // NOLINT
  Gradient(IndexedSlices slices) : slices_(slices) {}  // NOLINT

  bool IsNone() const { return !dense_.IsValid() && !slices_.has_value(); }
  bool IsSparse() const { return slices_.has_value(); }
  // REQUIRES: IsSparse().
  const IndexedSlices& slices() const { return *slices_; }
  // As a tensor: slices are summed into zeros of the dense shape.
  Output AsDense() const;

 private:
  Output dense_;
  std::optional<IndexedSlices> slices_;
};

// What a gradient function sees of one operation, and where it puts the answer.
class GradientContext {
 public:
  // `needed`: per input, whether anybody asks for its gradient.
  GradientContext(Operation operation, std::vector<Gradient> output_gradients,
                  std::vector<bool> needed);

  GraphBuilder& builder() const { return *operation_.builder(); }
  const Operation& operation() const { return operation_; }
  Output input(int i) const { return operation_.input(i); }
  Output output(int i) const { return operation_.output(i); }
  int num_inputs() const { return operation_.num_inputs(); }
  template <class T>
  T attr(absl::string_view name) const {
    return operation_.attr<T>(name);
  }

  // The gradient of output i, dense; zeros like the output where there is none.
  Output grad(int i = 0) const;
  const Gradient& grad_or_none(int i) const { return output_gradients_[i]; }

  // A gradient that is not needed is not worth building. False out of range.
  bool needs(int input) const;

  // Inputs not set have no gradient. Ignored where it is not needed.
  void set(int input, Gradient gradient);
  const std::vector<Gradient>& result() const { return input_gradients_; }

 private:
  Operation operation_;
  std::vector<Gradient> output_gradients_;
  std::vector<bool> needed_;
  std::vector<Gradient> input_gradients_;
};

// Errors go to the builder (GraphBuilder::Fail).
using GradientFunction = void (*)(GradientContext&);

// Filled once, then const and thread-safe.
class GradientRegistry {
 public:
  // REQUIRES: an op that has no gradient yet.
  void Add(absl::string_view op, GradientFunction function);
  // The op is known to have none: paths through it are cut silently.
  void AddNotDifferentiable(absl::string_view op);

  struct Entry {
    GradientFunction function = nullptr;  // null: not differentiable
  };
  // Null when nothing is registered: differentiating through it is an error.
  const Entry* Find(absl::string_view op) const;

 private:
  absl::flat_hash_map<std::string, Entry> entries_;
};

namespace gradients {
// Registers every gradient of graph/gradients/*.cc.
void RegisterAll(GradientRegistry& registry);
}  // namespace gradients

// The gradients of this library.
const GradientRegistry& BuiltinGradients();

}  // namespace leat

#endif  // LEAT_GRAPH_GRADIENT_REGISTRY_H_
