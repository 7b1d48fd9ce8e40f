// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::scatter_nd {
namespace {

// The tensor gets no gradient where it was replaced.
void TensorScatterUpdateGrad(GradientContext& c) {
  const Output indices = c.input(1);
  if (c.needs(0)) {
    c.set(0, op::TensorScatterUpdate(c.grad(), indices,
                                     op::ZerosLike(c.input(2))));
  }
  if (c.needs(2)) c.set(2, op::GatherNd(c.grad(), indices));
}

void TensorScatterAddGrad(GradientContext& c) {
  c.set(0, c.grad());
  if (c.needs(2)) c.set(2, op::GatherNd(c.grad(), c.input(1)));
}

void TensorScatterSubGrad(GradientContext& c) {
  c.set(0, c.grad());
  if (c.needs(2)) c.set(2, -op::GatherNd(c.grad(), c.input(1)));
}

// All that equal the result share its gradient: the element of the tensor, and
// its updates.
void TensorScatterExtremumGrad(GradientContext& c) {
  const Output tensor = c.input(0);
  const Output indices = c.input(1);
  const Output updates = c.input(2);
  const Output result = c.output(0);
  const DType dtype = c.grad().dtype();
  const Output tensor_wins = op::Cast(op::Equal(tensor, result), dtype);
  const Output update_wins =
      op::Cast(op::Equal(updates, op::GatherNd(result, indices)), dtype);
  const Output winners =
      tensor_wins +
      op::ScatterNd(indices, update_wins, ShapeOf(tensor, indices.dtype()));
  if (c.needs(0)) c.set(0, c.grad() * tensor_wins / winners);
  if (c.needs(2)) {
    c.set(2, op::GatherNd(c.grad() / winners, indices) * update_wins);
  }
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("TensorScatterUpdate", TensorScatterUpdateGrad);
  registry.Add("TensorScatterAdd", TensorScatterAddGrad);
  registry.Add("TensorScatterSub", TensorScatterSubGrad);
  registry.Add("TensorScatterMax", TensorScatterExtremumGrad);
  registry.Add("TensorScatterMin", TensorScatterExtremumGrad);
}

}  // namespace leat::gradients::scatter_nd
