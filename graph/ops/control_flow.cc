// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Switch, Merge, and the ops of loops: Enter, Exit, NextIteration and
// LoopCond. All these ops except LoopCond also have a form for references.
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::control_flow {
namespace {

absl::Status SwitchShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, context.input(0));
    const HandleShape* handle = context.input_handle(0);
    if (handle != nullptr) context.set_output_handle(i, *handle);
  }
  return absl::OkStatus();
}

// Gives output 0 the properties that all inputs share. In a loop, the second
// input comes from a NextIteration. If nothing is known of that input, nothing
// is known of the output.
absl::Status MergeShape(InferenceContext& context) {
  context.set_output(1, Shape{});
  if (context.num_inputs() == 0) return absl::OkStatus();
  PartialShape shape = context.input(0);
  const HandleShape* first = context.input_handle(0);
  bool has_handle = first != nullptr;
  HandleShape handle = has_handle ? *first : HandleShape{};
  for (int i = 1; i < context.num_inputs(); ++i) {
    shape = Relax(shape, context.input(i));
    const HandleShape* other = context.input_handle(i);
    has_handle = has_handle && other != nullptr && other->dtype == handle.dtype;
    if (has_handle) handle.shape = Relax(handle.shape, other->shape);
  }
  context.set_output(0, std::move(shape));
  if (has_handle) context.set_output_handle(0, std::move(handle));
  return absl::OkStatus();
}

// Passes on the shape and the handle. Passes on the value only if is_constant
// is true. Otherwise iterations may change the value, and the loop's Merge
// decides what is known of it.
absl::Status EnterShape(InferenceContext& context) {
  context.set_output(0, context.input(0));
  const HandleShape* handle = context.input_handle(0);
  if (handle != nullptr) context.set_output_handle(0, *handle);
  LEAT_ASSIGN_OR_RETURN(const bool constant, context.Attr<bool>("is_constant"));
  if (constant) return shapes::PassThrough(context);
  return absl::OkStatus();
}

absl::Status LoopCondShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.WithRank(0, 0));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

void AddSwitchAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Switch",
                .doc = "Passes data to the output that pred selects; what "
                       "needs the other output does not run.",
                .inputs = {"data: T", "pred: bool"},
                .outputs = {"output_false: T", "output_true: T"},
                .attrs = {"T: type"},
                .shape = SwitchShape,
                .work = works::Nothing},
               RoutesOnAllDevices({"pred"}));

  registry.Add({.name = "RefSwitch",
                .doc = "Passes a reference to the output that pred selects; "
                       "what needs the other one does not run.",
                .inputs = {"data: Ref(T)", "pred: bool"},
                .outputs = {"output_false: Ref(T)", "output_true: Ref(T)"},
                .attrs = {"T: type"},
                .allows_uninitialized_input = true,
                .shape = SwitchShape,
                .work = works::Nothing},
               RoutesOnAllDevices({"pred"}));

  registry.Add(
      {.name = "Merge",
       .doc = "Passes on the input that is computed first, and its index.",
       .inputs = {"inputs: N * T"},
       .outputs = {"output: T", "value_index: int32"},
       .attrs = {"T: type", "N: int"},
       .shape = MergeShape,
       .work = works::Nothing},
      RoutesOnAllDevices({}, {"value_index"}));

  registry.Add(
      {.name = "RefMerge",
       .doc = "Passes on the reference that is computed first, and its index.",
       .inputs = {"inputs: Ref(N * T)"},
       .outputs = {"output: Ref(T)", "value_index: int32"},
       .attrs = {"T: type", "N: int"},
       .shape = MergeShape,
       .work = works::Nothing},
      RoutesOnAllDevices({}, {"value_index"}));
}

void AddEnterAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "Enter",
       .doc = "Takes a tensor into a loop.",
       .inputs = {"data: T"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "frame_name: string", "is_constant: bool = false",
                 "parallel_iterations: int = 10"},
       .shape = EnterShape,
       .work = works::Nothing},
      RoutesOnAllDevices());

  registry.Add(
      {.name = "RefEnter",
       .doc = "Takes a reference into a loop.",
       .inputs = {"data: Ref(T)"},
       .outputs = {"output: Ref(T)"},
       .attrs = {"T: type", "frame_name: string", "is_constant: bool = false",
                 "parallel_iterations: int = 10"},
       .shape = EnterShape,
       .work = works::Nothing},
      RoutesOnAllDevices());

  registry.Add({.name = "Exit",
                .doc = "Takes a tensor out of a loop that has ended.",
                .inputs = {"data: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough,
                .work = works::Nothing},
               RoutesOnAllDevices());

  registry.Add({.name = "RefExit",
                .doc = "Takes a reference out of a loop that has ended.",
                .inputs = {"data: Ref(T)"},
                .outputs = {"output: Ref(T)"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough,
                .work = works::Nothing},
               RoutesOnAllDevices());
}

void AddNextIterationAndOthers(OpRegistry& registry) {
  registry.Add({.name = "NextIteration",
                .doc = "Takes a tensor to the next iteration of a loop.",
                .inputs = {"data: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough,
                .work = works::Nothing},
               RoutesOnAllDevices());

  registry.Add({.name = "RefNextIteration",
                .doc = "Takes a reference to the next iteration of a loop.",
                .inputs = {"data: Ref(T)"},
                .outputs = {"output: Ref(T)"},
                .attrs = {"T: type"},
                .shape = shapes::PassThrough,
                .work = works::Nothing},
               RoutesOnAllDevices());

  registry.Add(
      {.name = "LoopCond",
       .doc = "Passes on the condition on which a loop runs another iteration.",
       .inputs = {"input: bool"},
       .outputs = {"output: bool"},
       .shape = LoopCondShape,
       .work = works::Nothing},
      RoutesOnAllDevices({"input"}, {"output"}));
}

}  // namespace

void Register(OpRegistry& registry) {
  AddSwitchAndOthers(registry);
  AddEnterAndOthers(registry);
  AddNextIterationAndOthers(registry);
}

}  // namespace leat::ops::control_flow
