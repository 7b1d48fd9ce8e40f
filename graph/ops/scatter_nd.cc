// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ScatterNd, which adds updates to a tensor of zeros at given indices,
// and TensorScatterUpdate and so on, which combine them with another tensor.
// ScatterNdUpdate, ResourceScatterNdUpdate and so on combine them with a
// variable.
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

namespace leat::ops::scatter_nd {
namespace {

// Checks that updates.shape is indices.shape[:-1] +
// output.shape[indices.shape[-1]:].
absl::Status CheckUpdates(const PartialShape& indices,
                          const PartialShape& updates,
                          const PartialShape& output) {
  const int64_t depth = ExtentOf(indices, -1);
  if (!updates.rank_known() || !output.rank_known() ||
      depth == PartialShape::kUnknown || depth > output.rank()) {
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape expected,
      ConcatenateShapes(Subshape(indices, 0, -1),
                        Subshape(output, static_cast<int>(depth))));
  return Merge(updates, expected).status();
}

absl::Status ScatterNdShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices,
                        context.WithRankAtLeast(0, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape updates,
                        context.WithRankAtLeast(1, 1));
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 1).status());
  LEAT_ASSIGN_OR_RETURN(PartialShape output, ShapeInput(context, 2));
  LEAT_ASSIGN_OR_RETURN(const int64_t size, ElementCount(output));
  LEAT_ASSIGN_OR_RETURN(const int64_t wanted, ElementCount(updates));
  if (size == 0 && wanted > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Indices and updates specified for empty output, of shape ",
        output.DebugString()));
  }
  LEAT_RETURN_IF_ERROR(CheckUpdates(indices, updates, output));
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

absl::Status TensorScatterShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape tensor, context.WithRankAtLeast(0, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices,
                        context.WithRankAtLeast(1, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape updates,
                        context.WithRankAtLeast(2, 1));
  LEAT_ASSIGN_OR_RETURN(const int64_t size, ElementCount(tensor));
  LEAT_ASSIGN_OR_RETURN(const int64_t wanted, ElementCount(updates));
  if (size == 0 && wanted > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Indices and updates specified for empty output, of shape ",
        tensor.DebugString()));
  }
  LEAT_RETURN_IF_ERROR(CheckUpdates(indices, updates, tensor));
  context.set_output(0, std::move(tensor));
  return absl::OkStatus();
}

// Adds to `work` that of combining `updates` with what lies at the indices.
Work WithUpdates(Work work, const TensorSpec& updates) {
  work.flops += FlopsOf(updates);
  work.bytes_read += updates.num_bytes();
  work.bytes_written += updates.num_bytes();
  return work;
}

Work ScatterNdWork(const WorkContext& context) {
  return WithUpdates(works::Move(context), context.input(1));
}

Work TensorScatterWork(const WorkContext& context) {
  return WithUpdates(works::Move(context), context.input(2));
}

Work ScatterVariableWork(const WorkContext& context) {
  const Work read = {.bytes_read = context.input(1).num_bytes() +
                                   context.input(2).num_bytes()};
  return WithUpdates(read, context.input(2));
}

// Adds the op `name`, whose indices have one of the types in `index_types`. It
// has kernels for elements of `types`, and on GPUs for `gpu_types` and int32.
void AddTensorScatter(OpRegistry& registry, const char* name, const char* doc,
                      const char* index_types, std::vector<DType> types,
                      std::vector<DType> gpu_types) {
  registry.Add(
      {.name = name,
       .doc = doc,
       .inputs = {"tensor: T", "indices: Tindices", "updates: T"},
       .outputs = {"output: T"},
       .attrs = {"T: type", absl::StrCat("Tindices: ", index_types)},
       .shape = TensorScatterShape,
       .work = TensorScatterWork},
      {OnCpu({{"T", std::move(types)}, {"Tindices", kIndices.dtypes()}}),
       OnGpu({{"T", std::move(gpu_types)}, {"Tindices", kIndices.dtypes()}}),
       HostOnGpu({{"T", {DType::kInt32}}, {"Tindices", kIndices.dtypes()}})});
}

void AddTensorScatters(OpRegistry& registry) {
  AddTensorScatter(
      registry, "TensorScatterUpdate",
      "Replaces parts of a tensor by updates, at the coordinates in indices.",
      "{int16, int32, int64, uint16}", WithStoredTypes(kPlain + kStringOnly),
      kMovableOnGpu.dtypes());
  AddTensorScatter(registry, "TensorScatterAdd",
                   "Adds updates to parts of a tensor, at the coordinates in "
                   "indices.",
                   "{int32, int64}", kNumbersAndComplexes.dtypes(),
                   kFloatsAndInt64.dtypes());
  AddTensorScatter(registry, "TensorScatterSub",
                   "Subtracts updates from parts of a tensor, at the "
                   "coordinates in indices.",
                   "{int32, int64}", kNumbersAndComplexes.dtypes(),
                   kFloatsAndInt64.dtypes());
  AddTensorScatter(registry, "TensorScatterMax",
                   "Takes the maximum of parts of a tensor and updates, at the "
                   "coordinates in indices.",
                   "{int32, int64}", kNumbers.dtypes(),
                   kFloatsAndInt64.dtypes());
  AddTensorScatter(registry, "TensorScatterMin",
                   "Takes the minimum of parts of a tensor and updates, at the "
                   "coordinates in indices.",
                   "{int32, int64}", kNumbers.dtypes(),
                   kFloatsAndInt64.dtypes());
}

// Returns the shape of the variable that the handle in input 0 names.
PartialShape ShapeOfHandle(const InferenceContext& context) {
  const HandleShape* handle = context.input_handle(0);
  return handle == nullptr ? PartialShape() : handle->shape;
}

// Is the shape function of ops that update the variable behind a reference, or
// the one that a handle names.
absl::Status ScatterVariableShape(InferenceContext& context) {
  const bool is_reference = context.num_outputs() > 0;
  PartialShape variable =
      is_reference ? context.input(0) : ShapeOfHandle(context);
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices,
                        context.WithRankAtLeast(1, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape updates,
                        context.WithRankAtLeast(2, 1));
  LEAT_ASSIGN_OR_RETURN(const int64_t size, ElementCount(variable));
  LEAT_ASSIGN_OR_RETURN(const int64_t wanted, ElementCount(updates));
  if (size == 0 && wanted > 0) {
    return absl::InvalidArgumentError(
        "Indices and updates specified for empty input");
  }
  LEAT_RETURN_IF_ERROR(CheckUpdates(indices, updates, variable));
  if (is_reference) context.set_output(0, std::move(variable));
  return absl::OkStatus();
}

// Adds the ops ScatterNd + `what` and ResourceScatterNd + `what`. `doc` and
// `resource_doc` describe them. The variable has elements of `types`, or of
// `resource_types` if it has a handle, or on a GPU of `gpu_types` or int32.
void AddVariableScatter(OpRegistry& registry, absl::string_view what,
                        absl::string_view doc, absl::string_view resource_doc,
                        std::vector<DType> types,
                        std::vector<DType> resource_types,
                        const std::vector<DType>& gpu_types) {
  const bool is_update = what == "Update";
  OpSpec spec;
  spec.name = absl::StrCat("ScatterNd", what);
  spec.doc = doc;
  spec.inputs = {"ref: Ref(T)", "indices: Tindices", "updates: T"};
  spec.outputs = {"output_ref: Ref(T)"};
  spec.attrs = {
      is_update ? "T: type" : "T: numbertype", "Tindices: {int32, int64}",
      is_update ? "use_locking: bool = true" : "use_locking: bool = false"};
  spec.shape = ScatterVariableShape;
  spec.work = ScatterVariableWork;
  registry.Add(
      spec, {NotFoldable(OnCpu({{"T", std::move(types)}})),
             OnGpu({{"T", gpu_types}}), HostOnGpu({{"T", {DType::kInt32}}})});
  spec.name = absl::StrCat("ResourceScatterNd", what);
  spec.doc = resource_doc;
  spec.inputs[0] = "ref: resource";
  spec.outputs = {};
  spec.attrs = {"T: type", "Tindices: {int32, int64}",
                "use_locking: bool = true"};
  spec.stateful = true;
  registry.Add(
      std::move(spec),
      {NotFoldable(OnCpu({{"T", std::move(resource_types)}})),
       OnGpu({{"T", gpu_types}}), HostOnGpu({{"T", {DType::kInt32}}})});
}

void AddVariableScatters(OpRegistry& registry) {
  const auto moved = WithStoredTypes(kPlain + kStringOnly);
  const auto sums = kNumbersAndComplexes.dtypes();
  const auto sums_and_bools = (kNumbersAndComplexes + kBoolOnly).dtypes();
  const auto numbers = kNumbers.dtypes();
  AddVariableScatter(
      registry, "Update",
      "Replaces parts of the variable behind a reference, at the "
      "coordinates in indices.",
      "Replaces parts of the variable of a handle, at the "
      "coordinates in indices.",
      moved, moved, kMovableOnGpu.dtypes());
  AddVariableScatter(
      registry, "Add",
      "Adds updates to parts of the variable behind a reference, "
      "at coordinates.",
      "Adds updates to parts of the variable of a handle, at "
      "coordinates.",
      sums, sums_and_bools, kFloatsAndInt64.dtypes());
  AddVariableScatter(
      registry, "Sub",
      "Subtracts updates from parts of the variable behind a "
      "reference, at coordinates.",
      "Subtracts updates from parts of the variable of a handle, "
      "at coordinates.",
      sums, sums_and_bools, kFloatsAndInt64.dtypes());
  AddVariableScatter(
      registry, "Max",
      "Takes the maximum of updates and parts of the variable "
      "behind a reference.",
      "Takes the maximum of updates and parts of the variable of "
      "a handle.",
      numbers, numbers, kFloatsAndInt64.dtypes());
  AddVariableScatter(
      registry, "Min",
      "Takes the minimum of updates and parts of the variable "
      "behind a reference.",
      "Takes the minimum of updates and parts of the variable of "
      "a handle.",
      numbers, numbers, kFloatsAndInt64.dtypes());
}

}  // namespace

void Register(OpRegistry& registry) {
  AddTensorScatters(registry);
  AddVariableScatters(registry);
  registry.Add(
      {.name = "ScatterNd",
       .doc =
           "Adds updates to zeros, at the coordinates in the rows of indices.",
       .inputs = {"indices: Tindices", "updates: T", "shape: Tindices"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tindices: {int16, int32, int64}"},
       .shape = ScatterNdShape,
       .work = ScatterNdWork},
      {OnCpu({{"T", (kNumbersAndComplexes + kBoolOnly + kStringOnly).dtypes()},
              {"Tindices", kIndices.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()},
                           {"Tindices", kIndices.dtypes()}}),
                    {"shape"}),
       HostOnGpu({{"T", {DType::kInt32}}, {"Tindices", kIndices.dtypes()}})});
}

}  // namespace leat::ops::scatter_nd
