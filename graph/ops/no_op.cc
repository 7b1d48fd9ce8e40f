// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines NoOp and ControlTrigger, which only order other nodes.
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::no_op {
void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "NoOp",
       .doc = "Does nothing, but orders what runs before it and after it.",
       .shape = shapes::NoOutputs},
      {NotFoldable(QuickOnCpu()), RoutesOnGpu()});

  registry.Add({.name = "ControlTrigger",
                .doc = "Does nothing, but runs even if what it waits for is in "
                       "a branch that is not taken.",
                .shape = shapes::NoOutputs},
               {NotFoldable(QuickOnCpu()), RoutesOnGpu()});
}

}  // namespace leat::ops::no_op
