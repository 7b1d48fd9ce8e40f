// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::variables {
namespace {

void ReadVariableGrad(GradientContext& c) { c.set(0, c.grad_or_none(0)); }

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("ReadVariableOp", ReadVariableGrad);
}

}  // namespace leat::gradients::variables
