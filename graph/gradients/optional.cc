// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Registers the gradients of the ops on optionals. The gradient of an optional
// is an optional that holds the gradients of its values.
#include <utility>
#include <vector>

#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::optional {
namespace {

void FromValueGrad(GradientContext& c) {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
  for (int i = 0; i < c.num_inputs(); ++i) {
    types.push_back(c.input(i).dtype());
    shapes.push_back(c.input(i).shape());
  }
  const std::vector<Output> values =
      op::OptionalGetValue(c.grad(), std::move(types), std::move(shapes));
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    c.set(i, values[i]);
  }
}

// A value without a gradient gets a gradient of zeros. The zeros cannot be left
// out, because the values of an optional are identified by their position.
void GetValueGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  std::vector<Output> gradients;
  for (int i = 0; i < c.operation().num_outputs(); ++i) {
    gradients.push_back(c.grad(i));
  }
  c.set(0, op::OptionalFromValue(gradients));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("OptionalFromValue", FromValueGrad);
  registry.Add("OptionalGetValue", GetValueGrad);
}

}  // namespace leat::gradients::optional
