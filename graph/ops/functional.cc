// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines If, Case, While and function calls. PrepareGraph lowers them to
// Switch, Merge and loops, and inlines the functions. So most of them have no
// kernels. The exceptions are For, and calls that cannot be inlined, for
// example because the function calls itself. Also defines ToBool, which makes
// the predicate of an If, and FakeParam.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::functional {
namespace {

// Returns the attr output_shapes, which is empty or has one shape per output.
// Returns INVALID_ARGUMENT for another length.
absl::StatusOr<std::vector<PartialShape>> OutputShapes(
    const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      std::vector<PartialShape> shapes,
      context.Attr<std::vector<PartialShape>>("output_shapes"));
  if (!shapes.empty() &&
      static_cast<int>(shapes.size()) != context.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("`output_shapes` must be the same length as num outputs (",
                     shapes.size(), " vs. ", context.num_outputs(), ")"));
  }
  return shapes;
}

absl::Status IfShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<PartialShape> shapes,
                        OutputShapes(context));
  for (size_t i = 0; i < shapes.size(); ++i) {
    context.set_output(static_cast<int>(i), shapes[i]);
  }
  return absl::OkStatus();
}

absl::Status CaseShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  return IfShape(context);
}

// Without output_shapes, a loop may change every shape. Handles are passed on,
// because a loop cannot change which resource a handle names.
absl::Status WhileShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(IfShape(context));
  const int count = std::min(context.num_inputs(), context.num_outputs());
  for (int i = 0; i < count; ++i) {
    const HandleShape* handle = context.input_handle(i);
    if (handle != nullptr) context.set_output_handle(i, *handle);
  }
  return absl::OkStatus();
}

// The gradient of an argument has the shape of the argument.
absl::Status SymbolicGradientShape(InferenceContext& context) {
  if (context.num_inputs() < context.num_outputs()) {
    return absl::InvalidArgumentError("len(inputs) < len(outputs)");
  }
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, context.input(i));
  }
  return absl::OkStatus();
}

absl::Status FakeParamShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        context.Attr<PartialShape>("shape"));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status ToBoolShape(InferenceContext& context) {
  context.set_output(0, Shape{});
  return absl::OkStatus();
}

void AddIfAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "If",
       .doc = "Calls the function then_branch if cond is true, and else_branch "
              "if it is false.",
       .inputs = {"cond: Tcond", "input: Tin"},
       .outputs = {"output: Tout"},
       .attrs = {"Tcond: type", "Tin: list(type) >= 0", "Tout: list(type) >= 0",
                 "then_branch: func", "else_branch: func",
                 "output_shapes: list(shape) = []"},
       .stateful = true,
       .shape = IfShape});

  registry.Add(
      {.name = "StatelessIf",
       .doc = "Calls then_branch if cond is true, and else_branch if it is "
              "false; both have no state.",
       .inputs = {"cond: Tcond", "input: Tin"},
       .outputs = {"output: Tout"},
       .attrs = {"Tcond: type", "Tin: list(type) >= 0", "Tout: list(type) >= 0",
                 "then_branch: func", "else_branch: func",
                 "output_shapes: list(shape) = []"},
       .shape = IfShape});

  registry.Add({.name = "Case",
                .doc = "Calls the function branches[branch_index], or the last "
                       "one if the index is out of range.",
                .inputs = {"branch_index: int32", "input: Tin"},
                .outputs = {"output: Tout"},
                .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0",
                          "branches: list(func) >= 1",
                          "output_shapes: list(shape) = []"},
                .stateful = true,
                .shape = CaseShape});

  registry.Add({.name = "StatelessCase",
                .doc = "Calls branches[branch_index], or the last one if out "
                       "of range; all of them have no state.",
                .inputs = {"branch_index: int32", "input: Tin"},
                .outputs = {"output: Tout"},
                .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0",
                          "branches: list(func) >= 1",
                          "output_shapes: list(shape) = []"},
                .shape = CaseShape});
}

void AddWhileAndOthers(OpRegistry& registry) {
  registry.Add({.name = "While",
                .doc = "Calls the function body on the loop's values again and "
                       "again while cond returns true.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: list(type) >= 0", "cond: func", "body: func",
                          "output_shapes: list(shape) = []",
                          "parallel_iterations: int = 10"},
                .stateful = true,
                .shape = WhileShape});

  registry.Add({.name = "StatelessWhile",
                .doc = "Calls body on the loop's values while cond returns "
                       "true; both have no state.",
                .inputs = {"input: T"},
                .outputs = {"output: T"},
                .attrs = {"T: list(type) >= 0", "cond: func", "body: func",
                          "output_shapes: list(shape) = []",
                          "parallel_iterations: int = 10"},
                .shape = WhileShape});

  registry.Add(
      {.name = "PartitionedCall",
       .doc = "Calls the function f, which has no state.",
       .inputs = {"args: Tin"},
       .outputs = {"output: Tout"},
       .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "f: func",
                 "config: string = ''", "config_proto: string = ''",
                 "executor_type: string = ''"},
       .shape = shapes::Unknown},
      {NotFoldable(OnCpu())});

  registry.Add(
      {.name = "StatefulPartitionedCall",
       .doc = "Calls the function f, which may have state.",
       .inputs = {"args: Tin"},
       .outputs = {"output: Tout"},
       .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "f: func",
                 "config: string = ''", "config_proto: string = ''",
                 "executor_type: string = ''"},
       .stateful = true,
       .shape = shapes::Unknown},
      {NotFoldable(OnCpu())});
}

void AddForAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "For",
       .doc = "Calls the function body once for each number of a range, with "
              "the results of the call before.",
       .inputs = {"start: int32", "limit: int32", "delta: int32", "input: T"},
       .outputs = {"output: T"},
       .attrs = {"T: list(type) >= 0", "body: func"},
       .shape = shapes::Unknown},
      {NotFoldable(OnCpu())});

  registry.Add(
      {.name = "SymbolicGradient",
       .doc = "Calls the gradient of the function f, with the arguments of f "
              "and the gradients of its results.",
       .inputs = {"input: Tin"},
       .outputs = {"output: Tout"},
       .attrs = {"Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"},
       .shape = SymbolicGradientShape});

  registry.Add(
      {.name = "RemoteCall",
       .doc = "Calls the function f on the device that target names.",
       .inputs = {"target: string", "args: Tin"},
       .outputs = {"output: Tout"},
       .attrs = {"Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"},
       .stateful = true,
       .shape = shapes::Unknown},
      {NotFoldable(OnCpu())});
}

void AddFakeParam(OpRegistry& registry) {
  registry.Add({.name = "FakeParam",
                .doc = "Stands for a value of a branch that was not taken; "
                       "nothing may read it.",
                .outputs = {"output: dtype"},
                .attrs = {"dtype: type", "shape: shape"},
                .shape = FakeParamShape},
               {NotFoldable(OnCpu()), RoutesOnGpu()});
}

void AddToBool(OpRegistry& registry) {
  registry.Add({.name = "ToBool",
                .doc = "Returns whether a scalar is neither 0 nor empty, or "
                       "whether another tensor has elements.",
                .inputs = {"input: T"},
                .outputs = {"output: bool"},
                .attrs = {"T: type"},
                .shape = ToBoolShape},
               {OnCpu()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddIfAndOthers(registry);
  AddWhileAndOthers(registry);
  AddForAndOthers(registry);
  AddFakeParam(registry);
  AddToBool(registry);
}

}  // namespace leat::ops::functional
