// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::bias_add {
namespace {

void BiasAddGrad(GradientContext& c) {
  const Output dy = c.grad();
  c.set(0, dy);
  if (c.needs(1)) {
    c.set(1, op::BiasAddGrad(
                 dy, {.data_format = c.attr<std::string>("data_format")}));
  }
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("BiasAdd", BiasAddGrad);
}

}  // namespace leat::gradients::bias_add
