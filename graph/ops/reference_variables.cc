// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the variables with reference semantics, and the ops that update them.
// The output of VariableV2 is a reference to the tensor of the variable.
#include <utility>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::reference_variables {
namespace {

absl::Status VariableV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        context.Attr<PartialShape>("shape"));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// Infers the shape of the output of Variable, the older form of VariableV2. In
// the attr of this op, the shape of a scalar stands for an unknown shape.
absl::Status VariableShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        context.Attr<PartialShape>("shape"));
  if (shape.rank_known() && shape.rank() == 0) return absl::OkStatus();
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status TemporaryVariableShape(InferenceContext& context) {
  return VariableV2Shape(context);
}

absl::Status IsVariableInitializedShape(InferenceContext& context) {
  context.set_output(0, Shape{});
  return absl::OkStatus();
}

absl::Status AssignShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const bool validate,
                        context.Attr<bool>("validate_shape"));
  if (validate) return shapes::MergeAll(context);
  context.set_output(0, context.input(1));
  return absl::OkStatus();
}

absl::Status AssignUpdateShape(InferenceContext& context) {
  return shapes::MergeAll(context);
}

// Checks that updates.shape is indices.shape + ref.shape[1:], or that updates
// is a scalar.
absl::Status ScatterUpdateShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape ref, context.WithRankAtLeast(0, 1));
  context.set_output(0, ref);
  const PartialShape& updates = context.input(2);
  if (updates.rank_known() && updates.rank() == 0) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const PartialShape expected,
                        ConcatenateShapes(context.input(1), Subshape(ref, 1)));
  return Merge(updates, expected).status();
}

void AddVariableAndOthers(OpRegistry& registry) {
  registry.Add({.name = "Variable",
                .doc = "Returns a reference to a variable, whose shape is "
                       "unknown if the attr shape is a scalar's.",
                .outputs = {"ref: Ref(dtype)"},
                .attrs = {"shape: shape", "dtype: type",
                          "container: string = ''", "shared_name: string = ''"},
                .stateful = true,
                .shape = VariableShape,
                .work = works::Nothing},
               {NotFoldable(QuickOnCpu()), RoutesOnGpu()});

  registry.Add({.name = "VariableV2",
                .doc = "Returns a reference to a variable.",
                .outputs = {"ref: Ref(dtype)"},
                .attrs = {"shape: shape", "dtype: type",
                          "container: string = ''", "shared_name: string = ''"},
                .stateful = true,
                .shape = VariableV2Shape,
                .work = works::Nothing},
               {NotFoldable(QuickOnCpu()), RoutesOnGpu()});

  registry.Add(
      {.name = "TemporaryVariable",
       .doc = "Returns a reference to a variable that lives no longer than the "
              "step.",
       .outputs = {"ref: Ref(dtype)"},
       .attrs = {"shape: shape", "dtype: type", "var_name: string = ''"},
       .stateful = true,
       .shape = TemporaryVariableShape,
       .work = works::Generate<0>},
      {NotFoldable(OnCpu()), OnGpu({{"dtype", kMovableOnGpu.dtypes()}}),
       HostOnGpu({{"dtype", {DType::kInt32}}})});

  registry.Add({.name = "DestroyTemporaryVariable",
                .doc = "Returns the value of a temporary variable and deletes "
                       "the variable.",
                .inputs = {"ref: Ref(T)"},
                .outputs = {"value: T"},
                .attrs = {"T: type", "var_name: string"},
                .shape = shapes::Unchanged,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddIsVariableInitializedAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "IsVariableInitialized",
       .doc = "Returns whether the variable behind a reference has a value.",
       .inputs = {"ref: Ref(dtype)"},
       .outputs = {"is_initialized: bool"},
       .attrs = {"dtype: type"},
       .allows_uninitialized_input = true,
       .shape = IsVariableInitializedShape,
       .work = works::Nothing},
      {NotFoldable(OnCpu()),
       InHostMemory(RoutesOnGpu(), {}, {"is_initialized"})});

  registry.Add({.name = "Assign",
                .doc = "Sets the variable behind a reference to a value.",
                .inputs = {"ref: Ref(T)", "value: T"},
                .outputs = {"output_ref: Ref(T)"},
                .attrs = {"T: type", "validate_shape: bool = true",
                          "use_locking: bool = true"},
                .allows_uninitialized_input = true,
                .shape = AssignShape,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "AssignAdd",
                .doc = "Adds a value to the variable behind a reference.",
                .inputs = {"ref: Ref(T)", "value: T"},
                .outputs = {"output_ref: Ref(T)"},
                .attrs = {"T: numbertype", "use_locking: bool = false"},
                .shape = AssignUpdateShape,
                .work = works::UpdateVariable},
               {NotFoldable(OnCpu({{"T", kNumbersAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add(
      {.name = "AssignSub",
       .doc = "Subtracts a value from the variable behind a reference.",
       .inputs = {"ref: Ref(T)", "value: T"},
       .outputs = {"output_ref: Ref(T)"},
       .attrs = {"T: numbertype", "use_locking: bool = false"},
       .shape = AssignUpdateShape,
       .work = works::UpdateVariable},
      {NotFoldable(OnCpu({{"T", kNumbersAndComplexes.dtypes()}})),
       OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddScatterAddAndOthers(OpRegistry& registry) {
  registry.Add({.name = "ScatterAdd",
                .doc = "Adds updates to the rows at indices of the variable "
                       "behind a reference.",
                .inputs = {"ref: Ref(T)", "indices: Tindices", "updates: T"},
                .outputs = {"output_ref: Ref(T)"},
                .attrs = {"T: numbertype", "Tindices: {int32, int64}",
                          "use_locking: bool = false"},
                .shape = ScatterUpdateShape,
                .work = works::UpdateRows},
               {NotFoldable(OnCpu({{"T", kNumbersAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "ScatterSub",
                .doc = "Subtracts updates from the rows at indices of the "
                       "variable behind a reference.",
                .inputs = {"ref: Ref(T)", "indices: Tindices", "updates: T"},
                .outputs = {"output_ref: Ref(T)"},
                .attrs = {"T: numbertype", "Tindices: {int32, int64}",
                          "use_locking: bool = false"},
                .shape = ScatterUpdateShape,
                .work = works::UpdateRows},
               {NotFoldable(OnCpu({{"T", kNumbersAndComplexes.dtypes()}})),
                OnGpu({{"T", kFloatsAndInt64.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "ScatterUpdate",
                .doc = "Sets the rows at indices of the variable behind a "
                       "reference to updates.",
                .inputs = {"ref: Ref(T)", "indices: Tindices", "updates: T"},
                .outputs = {"output_ref: Ref(T)"},
                .attrs = {"T: type", "Tindices: {int32, int64}",
                          "use_locking: bool = true"},
                .shape = ScatterUpdateShape,
                .work = works::UpdateRows},
               {NotFoldable(OnCpu({{"T", WithStoredTypes(kMovable)}})),
                OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
}

// Adds an op like ScatterAdd. `types` lists the types of the attr T. The op has
// kernels for variables of `dtypes`, and on GPUs for `gpu_dtypes` and int32.
void AddScatter(OpRegistry& registry, const char* name, const char* doc,
                const char* types, std::vector<DType> dtypes,
                std::vector<DType> gpu_dtypes) {
  registry.Add({.name = name,
                .doc = doc,
                .inputs = {"ref: Ref(T)", "indices: Tindices", "updates: T"},
                .outputs = {"output_ref: Ref(T)"},
                .attrs = {types, "Tindices: {int32, int64}",
                          "use_locking: bool = false"},
                .shape = ScatterUpdateShape,
                .work = works::UpdateRows},
               {NotFoldable(OnCpu({{"T", std::move(dtypes)}})),
                OnGpu({{"T", std::move(gpu_dtypes)}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddScatterMulAndOthers(OpRegistry& registry) {
  constexpr auto kCompared = kFloats + kIndices;
  const char* const compared =
      "T: {half, bfloat16, float, double, int32, int64}";
  AddScatter(
      registry, "ScatterMul",
      "Multiplies the rows at indices of the variable behind a reference "
      "by updates.",
      "T: numbertype", kNumbersAndComplexes.dtypes(), kFloatsAndInt64.dtypes());
  AddScatter(
      registry, "ScatterDiv",
      "Divides the rows at indices of the variable behind a reference by "
      "updates.",
      "T: numbertype", kNumbersAndComplexes.dtypes(), kFloats.dtypes());
  AddScatter(registry, "ScatterMin",
             "Takes the minimum of updates and rows of the variable behind a "
             "reference.",
             compared, kCompared.dtypes(), kFloatsAndInt64.dtypes());
  AddScatter(registry, "ScatterMax",
             "Takes the maximum of updates and rows of the variable behind a "
             "reference.",
             compared, kCompared.dtypes(), kFloatsAndInt64.dtypes());
}

}  // namespace

void Register(OpRegistry& registry) {
  AddScatterMulAndOthers(registry);
  AddVariableAndOthers(registry);
  AddIsVariableInitializedAndOthers(registry);
  AddScatterAddAndOthers(registry);
}

}  // namespace leat::ops::reference_variables
