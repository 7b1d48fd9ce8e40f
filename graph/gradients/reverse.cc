// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::reverse {
namespace {

void ReverseGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::ReverseV2(c.grad(), c.input(1)));
}

void ReverseSequenceGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  c.set(0, op::ReverseSequence(c.grad(), c.input(1), c.attr<int64_t>("seq_dim"),
                               {.batch_dim = c.attr<int64_t>("batch_dim")}));
}

void RollGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::Roll(c.grad(), -c.input(1), c.input(2)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("ReverseV2", ReverseGrad);
  registry.Add("ReverseSequence", ReverseSequenceGrad);
  registry.Add("Roll", RollGrad);
}

}  // namespace leat::gradients::reverse
