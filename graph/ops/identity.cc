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
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough},
               {RetainsInput(QuickOnCpu())});

  registry.Add({.name = "IdentityN",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: list(type)"},
                .shape = shapes::PassThroughAll},
               {RetainsInput(QuickOnCpu())});

  registry.Add({.name = "StopGradient",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough},
               {RetainsInput(QuickOnCpu())});

  registry.Add({.name = "PreventGradient",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "message: string = ''"},
                .shape = shapes::PassThrough},
               {RetainsInput(QuickOnCpu())});
}

void AddRefIdentity(OpRegistry& registry) {
  registry.Add({.name = "RefIdentity",
                .inputs = {"input: Ref(T)"},
                .outputs = {"output: Ref(T)"},
                .attrs = {"T: type"},
                .allows_uninitialized_input = true,
                .shape = shapes::PassThrough},
               {NotFoldable(RetainsInput(QuickOnCpu()))});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddIdentityAndOthers(registry);
  AddRefIdentity(registry);
}

}  // namespace leat::ops::identity
