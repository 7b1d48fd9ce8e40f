// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::clip {
namespace {

// The gradient of an element outside of the range goes to the bound that the
// element was limited to.
void ClipByValueGrad(GradientContext& c) {
  const Output x = c.input(0);
  const Output low = c.input(1);
  const Output high = c.input(2);
  const Output dy = c.grad();
  const Output zeros = op::ZerosLike(dy);
  const Output below = op::Less(x, low);
  const Output above = op::Greater(x, high);
  if (c.needs(0)) {
    c.set(0, op::SelectV2(op::LogicalOr(below, above), zeros, dy));
  }
  if (c.needs(1)) {
    BroadcastReducer reduce(x, low);
    c.set(1, reduce.ForY(op::SelectV2(below, dy, zeros)));
  }
  if (c.needs(2)) {
    BroadcastReducer reduce(x, high);
    c.set(2, reduce.ForY(op::SelectV2(above, dy, zeros)));
  }
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("ClipByValue", ClipByValueGrad);
}

}  // namespace leat::gradients::clip
