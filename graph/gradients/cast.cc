// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::cast {
namespace {

void CastGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::Cast(c.grad(), c.input(0).dtype()));
}

}  // namespace

void Register(GradientRegistry& registry) { registry.Add("Cast", CastGrad); }

}  // namespace leat::gradients::cast
