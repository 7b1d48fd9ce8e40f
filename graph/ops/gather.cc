// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Gather, GatherV2 and GatherNd, which take slices at given indices.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::gather {
namespace {

absl::Status GatherShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape params,
                        context.WithRankAtLeast(0, 1));
  LEAT_ASSIGN_OR_RETURN(
      PartialShape shape,
      ConcatenateShapes(context.input(1), Subshape(params, 1)));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// Returns `batch_dims`, plus the rank of `indices` if `batch_dims` is negative.
// Returns INVALID_ARGUMENT if `batch_dims` does not fit the ranks of `indices`
// and `params`.
absl::StatusOr<int> BatchDims(int64_t batch_dims, const PartialShape& params,
                              const PartialShape& indices) {
  if (batch_dims < -indices.rank() || batch_dims > indices.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected batch_dims in the range [", -indices.rank(),
                     ", ", indices.rank(), "], but got ", batch_dims));
  }
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims >= params.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dims (", batch_dims,
                     ") must be less than rank(params) (", params.rank(), ")"));
  }
  return static_cast<int>(batch_dims);
}

// Returns params[:axis] + indices[batch_dims:] + params[axis + 1:], as shapes.
// Only the kernel checks whether the batch extents agree, as in TensorFlow.
absl::StatusOr<PartialShape> GatheredShape(const PartialShape& params,
                                           const PartialShape& indices,
                                           int axis, int batch_dims) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape output,
                        ConcatenateShapes(Subshape(params, 0, axis),
                                          Subshape(indices, batch_dims)));
  return ConcatenateShapes(output, Subshape(params, axis + 1));
}

absl::Status GatherV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t wanted_batch_dims,
                        context.Attr<int64_t>("batch_dims"));
  LEAT_ASSIGN_OR_RETURN(const PartialShape params,
                        context.WithRankAtLeast(0, 1));
  const PartialShape& indices = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> wanted_axis,
                        ScalarInput(context, 2));
  if (!params.rank_known() || !indices.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const int batch_dims,
                        BatchDims(wanted_batch_dims, params, indices));
  if (!wanted_axis.has_value()) {
    const int rank = params.rank() + indices.rank() - 1 - batch_dims;
    if (rank <= Shape::kMaxRank) {
      context.set_output(0, PartialShape::UnknownOfRank(rank));
    }
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis(*wanted_axis, params.rank()));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        GatheredShape(params, indices, axis, batch_dims));
  context.set_output(0, std::move(shape));
  // The values of shape(x)[indices] are known if the indices are constants.
  const std::optional<PartialValues> from = PartialInput(context, 0);
  const std::optional<PartialValues> at = PartialInput(context, 1);
  if (!from.has_value() || from->is_scalar || !at.has_value()) {
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("Tparams"));
  PartialValues known{.is_scalar = at->is_scalar};
  for (const std::optional<int64_t>& index : at->values) {
    if (!index.has_value() || *index < 0 ||
        *index >= static_cast<int64_t>(from->values.size())) {
      return absl::OkStatus();
    }
    known.values.push_back(from->values[static_cast<size_t>(*index)]);
  }
  SetPartialValues(context, 0, dtype, known);
  return absl::OkStatus();
}

absl::Status GatherNdShapeOf(const PartialShape& params,
                             InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape indices,
                        context.WithRankAtLeast(1, 1));
  const int64_t depth = ExtentOf(indices, -1);
  if (!params.rank_known() || depth == PartialShape::kUnknown) {
    return absl::OkStatus();
  }
  if (depth > params.rank()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "indices.shape[-1] must be <= params.rank, but saw "
        "indices shape: ",
        indices.DebugString(), " and params shape: ", params.DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(
      PartialShape shape,
      ConcatenateShapes(Subshape(indices, 0, -1),
                        Subshape(params, static_cast<int>(depth))));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status GatherNdShape(InferenceContext& context) {
  return GatherNdShapeOf(context.input(0), context);
}

absl::Status ResourceGatherNdShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("dtype"));
  const HandleShape* handle = context.input_handle(0);
  if (handle == nullptr) return GatherNdShapeOf(PartialShape(), context);
  if (handle->dtype != DType::kInvalid && handle->dtype != dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("Trying to access a variable with wrong dtype. Expected ",
                     Name(handle->dtype), " got ", Name(dtype)));
  }
  return GatherNdShapeOf(handle->shape, context);
}

// Returns the signature of a kernel that gathers elements of tensors on a GPU.
KernelSignature GatherOnGpu() {
  return OnGpu(
      {{"Tparams", kMovableOnGpu.dtypes()}, {"Tindices", kIndices.dtypes()}});
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Gather",
                .doc = "Gathers slices of params along the first axis, at the "
                       "given indices.",
                .inputs = {"params: Tparams", "indices: Tindices"},
                .outputs = {"output: Tparams"},
                .attrs = {"validate_indices: bool = true", "Tparams: type",
                          "Tindices: {int32, int64}"},
                .shape = GatherShape,
                .work = works::Take},
               {OnCpu({{"Tparams", WithStoredTypes(kMovable)}}), GatherOnGpu(),
                HostOnGpu({{"Tparams", {DType::kInt32}}})});

  registry.Add(
      {.name = "GatherV2",
       .doc = "Gathers slices of params along the given axis, at the given "
              "indices.",
       .inputs = {"params: Tparams", "indices: Tindices", "axis: Taxis"},
       .outputs = {"output: Tparams"},
       .attrs = {"batch_dims: int = 0", "Tparams: type",
                 "Tindices: {int16, int32, int64}", "Taxis: {int32, int64}"},
       .shape = GatherV2Shape,
       .work = works::Take},
      {OnCpu({{"Tparams", WithStoredTypes(kMovable)}}),
       InHostMemory(GatherOnGpu(), {"axis"}),
       HostOnGpu({{"Tparams", {DType::kInt32}}})});

  registry.Add({.name = "GatherNd",
                .doc = "Gathers elements or slices of params, whose "
                       "coordinates are the rows of indices.",
                .inputs = {"params: Tparams", "indices: Tindices"},
                .outputs = {"output: Tparams"},
                .attrs = {"Tparams: type", "Tindices: {int16, int32, int64}"},
                .shape = GatherNdShape,
                .work = works::Take},
               {OnCpu({{"Tparams", WithStoredTypes(kMovable)}}), GatherOnGpu(),
                HostOnGpu({{"Tparams", {DType::kInt32}}})});

  registry.Add(
      {.name = "ResourceGatherNd",
       .doc = "Gathers elements or slices of the variable of a handle, "
              "at the given coordinates.",
       .inputs = {"resource: resource", "indices: Tindices"},
       .outputs = {"output: dtype"},
       .attrs = {"dtype: type", "Tindices: {int32, int64}"},
       .stateful = true,
       .shape = ResourceGatherNdShape,
       .work = works::Take},
      {NotFoldable(OnCpu({{"dtype", WithStoredTypes(kMovable)}}))});
}

}  // namespace leat::ops::gather
