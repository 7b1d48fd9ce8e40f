// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::select {
namespace {

void SelectGrad(GradientContext& c) {
  const Output condition = c.input(0);
  const Output dy = c.grad();
  const Output zeros = op::ZerosLike(dy);
  if (c.needs(1)) c.set(1, op::Select(condition, dy, zeros));
  if (c.needs(2)) c.set(2, op::Select(condition, zeros, dy));
}

// The output has the broadcast shape of three inputs, so each gradient is
// reduced from that shape to its input's shape.
void SelectV2Grad(GradientContext& c) {
  const Output condition = c.input(0);
  const Output dy = c.grad();
  const Output zeros = op::ZerosLike(dy);
  if (c.needs(1)) {
    BroadcastReducer reduce(c.input(1), c.output(0));
    c.set(1, reduce.ForX(op::SelectV2(condition, dy, zeros)));
  }
  if (c.needs(2)) {
    BroadcastReducer reduce(c.input(2), c.output(0));
    c.set(2, reduce.ForX(op::SelectV2(condition, zeros, dy)));
  }
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("Select", SelectGrad);
  registry.Add("SelectV2", SelectV2Grad);
}

}  // namespace leat::gradients::select
