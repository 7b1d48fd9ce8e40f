// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::top_k {
namespace {

// Adds the gradient of each value to the position in the input that the value
// came from. The position in the flattened input is row * extent + index.
void TopKGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output x = c.input(0);
  const Output indices = c.output(1);
  const Output shape = ShapeOf(x);
  const Output extent = shape.Slice({-1});
  const Output width = ShapeOf(indices).Slice({-1});
  const Output rows = op::FloorDiv(op::Size(indices), op::Maximum(width, 1));
  const Output matrix = op::Reshape(indices, {rows, width});
  const Output starts = op::ExpandDims(op::Range(0, rows, 1) * extent, 1);
  const Output flat = op::Reshape(matrix + starts, {-1});
  const Output values = op::Reshape(c.grad(0), {-1});
  c.set(0,
        op::Reshape(op::UnsortedSegmentSum(values, flat, op::Size(x)), shape));
}

}  // namespace

void Register(GradientRegistry& registry) { registry.Add("TopKV2", TopKGrad); }

}  // namespace leat::gradients::top_k
