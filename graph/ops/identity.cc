// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Identity, the ops that differ from it only in their gradients or in
// the kind of their inputs, and those that check or copy what they return.
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::identity {
namespace {

void AddIdentityAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Identity",
                .doc = "Returns its input.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough,
                .work = works::Nothing},
               {QuickOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "IdentityN",
                .doc = "Returns all its inputs.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: list(type)"},
                .shape = shapes::PassThroughAll,
                .work = works::Nothing},
               {QuickOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "StopGradient",
                .doc = "Returns its input, to which no gradient flows back.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough,
                .work = works::Nothing},
               {QuickOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "PreventGradient",
                .doc = "Returns its input, and makes it an error to compute a "
                       "gradient through it.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "message: string = ''"},
                .shape = shapes::PassThrough,
                .work = works::Nothing},
               {QuickOnCpu(), RoutesOnGpu()});
}

void AddRefIdentity(OpRegistry& registry) {
  registry.Add({.name = "RefIdentity",
                .doc = "Returns the reference that is its input.",
                .inputs = {"input: Ref(T)"},
                .outputs = {"output: Ref(T)"},
                .attrs = {"T: type"},
                .allows_uninitialized_input = true,
                .shape = shapes::PassThrough,
                .work = works::Nothing},
               RoutesOnAllDevices());
}

absl::Status EnsureShapeShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape expected,
                        context.Attr<PartialShape>("shape"));
  LEAT_ASSIGN_OR_RETURN(PartialShape output, Merge(context.input(0), expected));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

void AddChecksAndCopies(OpRegistry& registry) {
  registry.Add(
      {.name = "EnsureShape",
       .doc = "Returns its input, and fails if the input does not have "
              "the shape.",
       .inputs = {"input: T"},
       .outputs = {"output: T"},
       .attrs = {"shape: shape", "T: type"},
       .shape = EnsureShapeShape,
       .work = works::Nothing},
      {QuickOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "Snapshot",
                .doc = "Returns its input as it is at this time.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::Unchanged,
                .work = works::Nothing},
               {QuickOnCpu(), RoutesOnGpu()});

  registry.Add({.name = "DeepCopy",
                .doc = "Returns a copy of its input in memory of its own.",
                .inputs = {"x: T"},
                .outputs = {"y: T"},
                .attrs = {"T: type"},
                .stateful = true,
                .shape = shapes::Unchanged,
                .work = works::Move},
               {NotFoldable(OnCpu())});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddChecksAndCopies(registry);
  AddIdentityAndOthers(registry);
  AddRefIdentity(registry);
}

}  // namespace leat::ops::identity
