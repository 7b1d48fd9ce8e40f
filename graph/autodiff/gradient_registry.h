// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Each differentiable op has a function that builds the gradients of its inputs
// from the gradients of its outputs. It calls the generated op functions
// (ops.h). The formulas are TensorFlow's. The files in graph/gradients/
// register such functions:
//
//   void NegGrad(GradientContext& c) { c.set(0, -c.grad()); }
//
//   void Register(GradientRegistry& registry) { registry.Add("Neg", NegGrad); }
#ifndef LEAT_GRAPH_AUTODIFF_GRADIENT_REGISTRY_H_
#define LEAT_GRAPH_AUTODIFF_GRADIENT_REGISTRY_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/output.h"

namespace leat {

// A GradientContext is the argument of a gradient function. It holds one
// operation and the gradients of the operation's outputs. The gradient function
// passes the gradients of the inputs to set(). A GradientContext exists only
// during one call of a gradient function. A GradientContext is not thread-safe,
// because GraphBuilder is not.
class GradientContext {
 public:
  // `needed` says for each input whether its gradient is wanted.
  GradientContext(Operation operation, std::vector<Gradient> output_gradients,
                  std::vector<bool> needed);

  // Returns the builder of the operation. Gradient functions report errors to
  // this builder (GraphBuilder::Fail).
  GraphBuilder& builder() const { return *operation_.builder(); }
  const Operation& operation() const { return operation_; }
  Output input(int i) const { return operation_.input(i); }
  Output output(int i) const { return operation_.output(i); }
  int num_inputs() const { return operation_.num_inputs(); }
  // Returns an attr of the operation. If the attr is absent or has another type
  // than T, the builder fails and this function returns T{}.
  template <class T>
  T attr(absl::string_view name) const {
    return operation_.attr<T>(name);
  }

  // Returns the gradient of output i as a tensor. If the output has no
  // gradient, adds zeros of the output's shape and returns them. REQUIRES: 0 <=
  // i < num_outputs.
  Output grad(int i = 0) const;
  // Returns the gradient of output i, which may be sparse or empty.
  const Gradient& grad_or_none(int i) const { return output_gradients_[i]; }

  // Returns true if the gradient of this input is wanted. Gradients that are
  // not wanted need not be built. Returns false if `input` is out of range.
  bool needs(int input) const;

  // Sets the gradient of an input. Does nothing if the gradient is not wanted.
  // An input that is not set has no gradient.
  void set(int input, Gradient gradient);
  // Returns the gradient of each input that the operation had when this context
  // was made. The gradient of an input that was not set is empty.
  const std::vector<Gradient>& result() const { return input_gradients_; }

 private:
  Operation operation_;
  std::vector<Gradient> output_gradients_;
  std::vector<bool> needed_;
  std::vector<Gradient> input_gradients_;
};

// Builds the gradients of one operation. It reports errors to the builder
// (GraphBuilder::Fail).
using GradientFunction = void (*)(GradientContext&);

// Maps ops to their gradients. A registry is filled once. From then on, it does
// not change and is thread-safe.
class GradientRegistry {
 public:
  // Registers the gradient of `op`. REQUIRES: nothing is registered for `op`.
  void Add(absl::string_view op, GradientFunction function);
  // Registers that `op` has no gradient. Differentiation stops at such an op
  // without an error. REQUIRES: nothing is registered for `op`.
  void AddNotDifferentiable(absl::string_view op);

  struct Entry {
    GradientFunction function = nullptr;  // null: not differentiable
  };
  // Returns what is registered for `op`, or null if nothing is registered. If
  // nothing is registered, it is an error to differentiate through the op. The
  // pointer is valid until the next Add.
  const Entry* Find(absl::string_view op) const;

 private:
  absl::flat_hash_map<std::string, Entry> entries_;
};

namespace gradients {
// Registers every gradient of graph/gradients/*.cc.
void RegisterAll(GradientRegistry& registry);
}  // namespace gradients

// Returns the gradients of this library. They are registered on first use and
// live as long as the process.
const GradientRegistry& BuiltinGradients();

}  // namespace leat

#endif  // LEAT_GRAPH_AUTODIFF_GRADIENT_REGISTRY_H_
