// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::transpose {
namespace {

// Returns the permutation that undoes the permutation of the node.
Output InvertedPermutation(GradientContext& c) {
  const std::optional<Dims> order = ValuesOf(c.input(1));
  Dims back;
  if (order.has_value()) {
    back.resize(order->size());
    for (size_t i = 0; i < order->size(); ++i) {
      const absl::StatusOr<int> axis =
          NormalizeAxis((*order)[i], static_cast<int>(order->size()));
      if (axis.ok()) back[*axis] = static_cast<int64_t>(i);
    }
  }
  return order.has_value() ? IntVector(c.builder(), back)
                           : op::InvertPermutation(c.input(1));
}

void TransposeGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::Transpose(c.grad(), InvertedPermutation(c)));
}

void ConjugateTransposeGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::ConjugateTranspose(c.grad(), InvertedPermutation(c)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Transpose", TransposeGrad);
  registry.Add("ConjugateTranspose", ConjugateTransposeGrad);
}

}  // namespace leat::gradients::transpose
