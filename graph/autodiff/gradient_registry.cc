// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_registry.h"

#include "leat/core/check.h"
#include "leat/graph/builder/builder.h"

namespace leat {

GradientContext::GradientContext(Operation operation,
                                 std::vector<Gradient> output_gradients,
                                 std::vector<bool> needed)
    : operation_(operation),
      output_gradients_(std::move(output_gradients)),
      needed_(std::move(needed)),
      input_gradients_(operation.num_inputs()) {
  output_gradients_.resize(operation.num_outputs());
  needed_.resize(operation.num_inputs());
}

Output GradientContext::grad(int i) const {
  const Gradient& gradient = output_gradients_[i];
  if (!gradient.IsNone()) return gradient.AsDense();
  return AddOp({.op = "ZerosLike", .inputs = {output(i)}, .name = "zeros_like"})
      .output(0);
}

bool GradientContext::needs(int input) const {
  // If and While nodes get more inputs while they are differentiated. `needed_`
  // has no elements for these inputs.
  return input >= 0 && input < static_cast<int>(needed_.size()) &&
         needed_[input];
}

void GradientContext::set(int input, Gradient gradient) {
  if (needs(input)) input_gradients_[input] = gradient;
}

void GradientRegistry::Add(absl::string_view op, GradientFunction function) {
  const bool inserted = entries_.try_emplace(op, Entry{function}).second;
  LEAT_CHECK(inserted && "one gradient for each op");
}

void GradientRegistry::AddNotDifferentiable(absl::string_view op) {
  Add(op, nullptr);
}

const GradientRegistry::Entry* GradientRegistry::Find(
    absl::string_view op) const {
  const auto it = entries_.find(op);
  return it == entries_.end() ? nullptr : &it->second;
}

const GradientRegistry& BuiltinGradients() {
  static const GradientRegistry* const registry = [] {
    auto* gradients = new GradientRegistry;
    gradients::RegisterAll(*gradients);
    return gradients;
  }();
  return *registry;
}

}  // namespace leat
