// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops on stacks of tensors. The loops of TensorFlow 1.x push values
// that their gradients need. As in TensorFlow, shape inference gives the
// handle of a stack the shape [2], although it is a scalar.
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::stack {
namespace {

absl::Status StackShape(InferenceContext& context) {
  context.set_output(0, Shape{2});
  return absl::OkStatus();
}

absl::Status PushShape(InferenceContext& context) {
  context.set_output(0, context.input(1));
  return absl::OkStatus();
}

absl::Status CloseShape(InferenceContext& context) {
  return Merge(context.input(0), Shape{2}).status();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "StackV2",
                .doc = "Returns the handle of a new stack, which lives until "
                       "the step ends.",
                .inputs = {"max_size: int32"},
                .outputs = {"handle: resource"},
                .attrs = {"elem_type: type", "stack_name: string = ''"},
                .stateful = true,
                .shape = StackShape},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "StackPushV2",
                .doc = "Pushes a tensor onto a stack, and returns the tensor.",
                .inputs = {"handle: resource", "elem: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type", "swap_memory: bool = false"},
                .stateful = true,
                .shape = PushShape,
                .work = works::Nothing},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "StackPopV2",
                .doc = "Removes the last tensor from a stack and returns it.",
                .inputs = {"handle: resource"},
                .outputs = {"elem: elem_type"},
                .attrs = {"elem_type: type"},
                .stateful = true,
                .shape = shapes::Unknown,
                .work = works::Nothing},
               {NotFoldable(OnCpu())});

  registry.Add({.name = "StackCloseV2",
                .doc = "Drops the elements of a stack, so that nothing can be "
                       "pushed any more.",
                .inputs = {"handle: resource"},
                .stateful = true,
                .shape = CloseShape},
               {NotFoldable(OnCpu())});
}

}  // namespace leat::ops::stack
