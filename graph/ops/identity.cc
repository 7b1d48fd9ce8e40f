// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Identity and the ops that differ from it only in their gradients or
// in the kind of their inputs.
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::identity {
namespace {

void AddIdentityAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Identity",
                .doc = "Returns its input.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough},
               {QuickOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "IdentityN",
                .doc = "Returns all its inputs.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: list(type)"},
                .shape = shapes::PassThroughAll},
               {QuickOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "StopGradient",
                .doc = "Returns its input, to which no gradient flows back.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough},
               {QuickOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "PreventGradient",
                .doc = "Returns its input, and makes it an error to compute a "
                       "gradient through it.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "message: string = ''"},
                .shape = shapes::PassThrough},
               {QuickOnCpu(), RoutesOnGpu()});
}

void AddRefIdentity(OpRegistry& registry) {
  registry.Add({.name = "RefIdentity",
                .doc = "Returns the reference that is its input.",
                .inputs = {"input: Ref(T)"},
                .outputs = {"output: Ref(T)"},
                .attrs = {"T: type"},
                .allows_uninitialized_input = true,
                .shape = shapes::PassThrough},
               RoutesOnAllDevices());
}

}  // namespace

void Register(OpRegistry& registry) {
  AddIdentityAndOthers(registry);
  AddRefIdentity(registry);
}

}  // namespace leat::ops::identity
