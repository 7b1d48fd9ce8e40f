// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NoOp, ControlTrigger: nodes that only order others.
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::no_op {
void Register(OpRegistry& registry) {
  registry.Add({.name = "NoOp", .shape = shapes::NoOutputs},
               {NotFoldable(QuickOnCpu())});

  registry.Add({.name = "ControlTrigger", .shape = shapes::NoOutputs},
               {NotFoldable(QuickOnCpu())});
}

}  // namespace leat::ops::no_op
