// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines NoOp and ControlTrigger, which only order other nodes.
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
