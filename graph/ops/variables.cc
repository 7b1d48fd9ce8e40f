// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the variables with resource semantics: VarHandleOp, whose output is a
// handle, and the ops that read and update the variable that a handle names.
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::variables {
namespace {

absl::Status VarHandleShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        context.Attr<PartialShape>("shape"));
  context.set_output(0, Shape{});
  context.set_output_handle(0, {.dtype = dtype, .shape = std::move(shape)});
  return absl::OkStatus();
}

absl::Status VarIsInitializedShape(InferenceContext& context) {
  context.set_output(0, Shape{});
  return absl::OkStatus();
}

// Returns the shape of the variable, or an unknown shape if nothing is known of
// the handle. Returns INVALID_ARGUMENT if the type of the variable differs from
// `dtype`.
absl::StatusOr<PartialShape> VariableValueShape(const InferenceContext& context,
                                                DType dtype) {
  const HandleShape* handle = context.input_handle(0);
  if (handle == nullptr) return PartialShape();
  if (handle->dtype != DType::kInvalid && handle->dtype != dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("Trying to access a variable with wrong dtype. Expected ",
                     Name(handle->dtype), " got ", Name(dtype)));
  }
  return handle->shape;
}

absl::Status ReadVariableShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, VariableValueShape(context, dtype));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status VariableShapeShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("out_type"));
  const HandleShape* handle = context.input_handle(0);
  context.set_output(0, PartialShape::UnknownOfRank(1));
  if (handle == nullptr || !handle->shape.rank_known()) return absl::OkStatus();
  context.set_output(0, Shape{handle->shape.rank()});
  PartialValues known;
  for (const int64_t extent : handle->shape.dims()) {
    known.values.push_back(extent == PartialShape::kUnknown
                               ? std::nullopt
                               : std::optional<int64_t>(extent));
  }
  SetPartialValues(context, 0, dtype, known);
  return absl::OkStatus();
}

// Checks that the value fits the declared shape of the variable. If
// validate_shape is set, the kernel also checks that the value has the shape of
// the current value.
absl::Status AssignVariableShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        VariableValueShape(context, dtype));
  return Merge(shape, context.input(1)).status();
}

absl::Status UpdateVariableShape(InferenceContext& context) {
  return AssignVariableShape(context);
}

absl::Status ResourceGatherShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const int64_t batch_dims,
                        context.Attr<int64_t>("batch_dims"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape params,
                        VariableValueShape(context, dtype));
  const PartialShape& indices = context.input(1);
  if (!params.rank_known() || !indices.rank_known()) return absl::OkStatus();
  if (batch_dims < 0 || batch_dims >= params.rank() ||
      batch_dims > indices.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dims is ", batch_dims,
                     ", but must be at least 0, less than the rank of the "
                     "variable, whose shape is ",
                     params.DebugString(),
                     ", and at most the rank of the indices, whose shape is ",
                     indices.DebugString()));
  }
  const int batch = static_cast<int>(batch_dims);
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape batch_shape,
      Merge(Subshape(params, 0, batch), Subshape(indices, 0, batch)));
  LEAT_ASSIGN_OR_RETURN(
      PartialShape output,
      ConcatenateShapes(batch_shape, Subshape(indices, batch)));
  LEAT_ASSIGN_OR_RETURN(output,
                        ConcatenateShapes(output, Subshape(params, batch + 1)));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

// Checks that updates.shape is indices.shape + variable.shape[1:], or that
// updates is a scalar.
absl::Status ResourceScatterShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("dtype"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        VariableValueShape(context, dtype));
  const PartialShape& updates = context.input(2);
  if (updates.rank_known() && updates.rank() == 0) return absl::OkStatus();
  if (!shape.rank_known()) return absl::OkStatus();
  if (shape.rank() == 0) {
    return absl::InvalidArgumentError(
        "Shape must be at least rank 1 but is rank 0");
  }
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape expected,
      ConcatenateShapes(context.input(1), Subshape(shape, 1)));
  return Merge(updates, expected).status();
}

void AddVarHandleOpAndOthers(OpRegistry& registry) {
  registry.Add({.name = "VarHandleOp",
                .doc = "Returns the handle of a variable.",
                .outputs = {"resource: resource"},
                .attrs = {"container: string = ''", "shared_name: string = ''",
                          "debug_name: string = ''", "dtype: type",
                          "shape: shape", "allowed_devices: list(string) = []"},
                .stateful = true,
                .shape = VarHandleShape,
                .work = works::Nothing},
               {NotFoldable(QuickOnCpu()), RoutesOnGpu()});

  registry.Add({.name = "VarIsInitializedOp",
                .doc = "Returns whether the variable of a handle has a value.",
                .inputs = {"resource: resource"},
                .outputs = {"is_initialized: bool"},
                .stateful = true,
                .shape = VarIsInitializedShape,
                .work = works::Nothing},
               {NotFoldable(OnCpu()),
                InHostMemory(RoutesOnGpu(), {}, {"is_initialized"})});

  registry.Add({.name = "ReadVariableOp",
                .doc = "Returns the value of the variable of a handle.",
                .inputs = {"resource: resource"},
                .outputs = {"value: dtype"},
                .attrs = {"dtype: type"},
                .stateful = true,
                .shape = ReadVariableShape,
                .work = works::Nothing},
               {NotFoldable(QuickOnCpu()), RoutesOnGpu()});

  registry.Add(
      {.name = "VariableShape",
       .doc = "Returns the shape of the variable of a handle.",
       .inputs = {"input: resource"},
       .outputs = {"output: out_type"},
       .attrs = {"out_type: {int32, int64} = int32"},
       .stateful = true,
       .shape = VariableShapeShape,
       .work = works::Nothing},
      {NotFoldable(OnCpu()), InHostMemory(RoutesOnGpu(), {}, {"output"})});
}

void AddDestroyResourceOpAndOthers(OpRegistry& registry) {
  registry.Add({.name = "DestroyResourceOp",
                .doc = "Deletes what a resource handle names.",
                .inputs = {"resource: resource"},
                .attrs = {"ignore_lookup_error: bool = true"},
                .stateful = true,
                .shape = shapes::NoOutputs,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "AssignVariableOp",
                .doc = "Sets the variable of a handle to a value.",
                .inputs = {"resource: resource", "value: dtype"},
                .attrs = {"dtype: type", "validate_shape: bool = false"},
                .stateful = true,
                .shape = AssignVariableShape,
                .work = works::Nothing},
               {NotFoldable(OnCpu()), RoutesOnGpu()});

  registry.Add({.name = "AssignAddVariableOp",
                .doc = "Adds a value to the variable of a handle.",
                .inputs = {"resource: resource", "value: dtype"},
                .attrs = {"dtype: type"},
                .stateful = true,
                .shape = UpdateVariableShape,
                .work = works::UpdateVariable},
               {NotFoldable(OnCpu({{"dtype", kNumbersAndComplexes.dtypes()}})),
                OnGpu({{"dtype", kFloatsAndInt64.dtypes()}}),
                HostOnGpu({{"dtype", {DType::kInt32}}})});

  registry.Add({.name = "AssignSubVariableOp",
                .doc = "Subtracts a value from the variable of a handle.",
                .inputs = {"resource: resource", "value: dtype"},
                .attrs = {"dtype: type"},
                .stateful = true,
                .shape = UpdateVariableShape,
                .work = works::UpdateVariable},
               {NotFoldable(OnCpu({{"dtype", kNumbersAndComplexes.dtypes()}})),
                OnGpu({{"dtype", kFloatsAndInt64.dtypes()}}),
                HostOnGpu({{"dtype", {DType::kInt32}}})});
}

void AddResourceGatherAndOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "ResourceGather",
       .doc = "Gathers rows of the variable of a handle, at the given indices.",
       .inputs = {"resource: resource", "indices: Tindices"},
       .outputs = {"output: dtype"},
       .attrs = {"batch_dims: int = 0", "validate_indices: bool = true",
                 "dtype: type", "Tindices: {int32, int64}"},
       .stateful = true,
       .shape = ResourceGatherShape,
       .work = works::Take},
      {NotFoldable(OnCpu({{"dtype", WithStoredTypes(kMovable)}})),
       OnGpu({{"dtype", kMovableOnGpu.dtypes()}}),
       HostOnGpu({{"dtype", {DType::kInt32}}})});

  registry.Add(
      {.name = "ResourceScatterAdd",
       .doc =
           "Adds updates to the rows at indices of the variable of a handle.",
       .inputs = {"resource: resource", "indices: Tindices", "updates: dtype"},
       .attrs = {"dtype: numbertype", "Tindices: {int32, int64}"},
       .stateful = true,
       .shape = ResourceScatterShape,
       .work = works::UpdateRows},
      {NotFoldable(OnCpu({{"dtype", kNumbersAndComplexes.dtypes()}})),
       OnGpu({{"dtype", kFloatsAndInt64.dtypes()}}),
       HostOnGpu({{"dtype", {DType::kInt32}}})});

  registry.Add(
      {.name = "ResourceScatterSub",
       .doc = "Subtracts updates from the rows at indices of the variable of a "
              "handle.",
       .inputs = {"resource: resource", "indices: Tindices", "updates: dtype"},
       .attrs = {"dtype: numbertype", "Tindices: {int32, int64}"},
       .stateful = true,
       .shape = ResourceScatterShape,
       .work = works::UpdateRows},
      {NotFoldable(OnCpu({{"dtype", kNumbersAndComplexes.dtypes()}})),
       OnGpu({{"dtype", kFloatsAndInt64.dtypes()}}),
       HostOnGpu({{"dtype", {DType::kInt32}}})});

  registry.Add(
      {.name = "ResourceScatterUpdate",
       .doc =
           "Sets the rows at indices of the variable of a handle to updates.",
       .inputs = {"resource: resource", "indices: Tindices", "updates: dtype"},
       .attrs = {"dtype: type", "Tindices: {int32, int64}"},
       .stateful = true,
       .shape = ResourceScatterShape,
       .work = works::UpdateRows},
      {NotFoldable(OnCpu({{"dtype", WithStoredTypes(kMovable)}})),
       OnGpu({{"dtype", kMovableOnGpu.dtypes()}}),
       HostOnGpu({{"dtype", {DType::kInt32}}})});
}

// Adds an op like ResourceScatterAdd, with kernels for variables of `dtypes`,
// and on GPUs for `gpu_dtypes` and int32.
void AddScatter(OpRegistry& registry, const char* name, const char* doc,
                std::vector<DType> dtypes, std::vector<DType> gpu_dtypes) {
  registry.Add(
      {.name = name,
       .doc = doc,
       .inputs = {"resource: resource", "indices: Tindices", "updates: dtype"},
       .attrs = {"dtype: numbertype", "Tindices: {int32, int64}"},
       .stateful = true,
       .shape = ResourceScatterShape,
       .work = works::UpdateRows},
      {NotFoldable(OnCpu({{"dtype", std::move(dtypes)}})),
       OnGpu({{"dtype", std::move(gpu_dtypes)}}),
       HostOnGpu({{"dtype", {DType::kInt32}}})});
}

void AddResourceScatterMulAndOthers(OpRegistry& registry) {
  AddScatter(registry, "ResourceScatterMul",
             "Multiplies the rows at indices of the variable of a handle by "
             "updates.",
             kNumbersAndComplexes.dtypes(), kFloatsAndInt64.dtypes());
  AddScatter(registry, "ResourceScatterDiv",
             "Divides the rows at indices of the variable of a handle by "
             "updates.",
             kNumbersAndComplexes.dtypes(), kFloats.dtypes());
  AddScatter(
      registry, "ResourceScatterMin",
      "Takes the minimum of updates and rows of the variable of a handle.",
      kNumbers.dtypes(), kFloatsAndInt64.dtypes());
  AddScatter(
      registry, "ResourceScatterMax",
      "Takes the maximum of updates and rows of the variable of a handle.",
      kNumbers.dtypes(), kFloatsAndInt64.dtypes());
}

}  // namespace

void Register(OpRegistry& registry) {
  AddResourceScatterMulAndOthers(registry);
  AddVarHandleOpAndOthers(registry);
  AddDestroyResourceOpAndOthers(registry);
  AddResourceGatherAndOthers(registry);
}

}  // namespace leat::ops::variables
