// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_registry.h"
#include "leat/graph/ops.h"

namespace leat::gradients::cross {
namespace {

void CrossGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::Cross(c.input(1), c.grad()));
  if (c.needs(1)) c.set(1, op::Cross(c.grad(), c.input(0)));
}

}  // namespace

void Register(GradientRegistry& registry) { registry.Add("Cross", CrossGrad); }

}  // namespace leat::gradients::cross
