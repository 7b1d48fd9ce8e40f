// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines LogicalAnd, LogicalOr and LogicalNot.
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::logical {
void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "LogicalAnd",
       .doc = "Returns whether both x and y are true, element by element.",
       .inputs = {"x: bool", "y: bool"},
       .outputs = {"z: bool"},
       .commutative = true,
       .shape = shapes::BroadcastBinary},
      {OnCpu(), HostOrGpu()});

  registry.Add(
      {.name = "LogicalOr",
       .doc = "Returns whether x or y or both are true, element by element.",
       .inputs = {"x: bool", "y: bool"},
       .outputs = {"z: bool"},
       .commutative = true,
       .shape = shapes::BroadcastBinary},
      {OnCpu(), HostOrGpu()});

  registry.Add({.name = "LogicalNot",
                .doc = "Returns whether x is false, element by element.",
                .inputs = {"x: bool"},
                .outputs = {"y: bool"},
                .shape = shapes::Unchanged},
               {OnCpu(), HostOrGpu()});
}

}  // namespace leat::ops::logical
