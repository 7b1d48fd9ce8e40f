// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::block_lstm {
namespace {

// Sets the gradients of all inputs. `gradient` is the op of the gradients.
template <class Function>
void SetGradients(GradientContext& c, Function gradient) {
  const auto gradients = gradient(
      c.input(0), c.input(1), c.input(2), c.input(3), c.input(4), c.input(5),
      c.input(6), c.input(7), c.input(8), c.output(0), c.output(1), c.output(2),
      c.output(3), c.output(4), c.output(5), c.output(6), c.grad(1), c.grad(6),
      c.attr<bool>("use_peephole"), SourceLocation::Current());
  c.set(1, gradients.x_grad);
  c.set(2, gradients.cs_prev_grad);
  c.set(3, gradients.h_prev_grad);
  c.set(4, gradients.w_grad);
  c.set(5, gradients.wci_grad);
  c.set(6, gradients.wcf_grad);
  c.set(7, gradients.wco_grad);
  c.set(8, gradients.b_grad);
}

void BlockLSTMGrad(GradientContext& c) { SetGradients(c, op::BlockLSTMGrad); }

// TensorFlow uses BlockLSTMGrad here, too, which exchanges the gradients of two
// gates.
void BlockLSTMV2Grad(GradientContext& c) {
  SetGradients(c, op::BlockLSTMGradV2);
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("BlockLSTM", BlockLSTMGrad);
  registry.Add("BlockLSTMV2", BlockLSTMV2Grad);
}

}  // namespace leat::gradients::block_lstm
