// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ConcatV2 and ConcatOffset. The gradient of ConcatV2 uses
// ConcatOffset.
#include <optional>
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::concat {
namespace {

// Returns the rank of the first input of known rank, or -1 if there is none.
// Returns INVALID_ARGUMENT if known ranks differ or are 0.
absl::StatusOr<int> CommonRank(const InferenceContext& context, int count) {
  int rank = -1;
  for (int i = 0; i < count; ++i) {
    if (!context.input(i).rank_known()) continue;
    if (rank < 0) rank = context.input(i).rank();
    LEAT_RETURN_IF_ERROR(context.WithRank(i, rank).status());
  }
  if (rank == 0) {
    return absl::InvalidArgumentError(
        "Can't concatenate scalars (use tf.stack instead)");
  }
  return rank;
}

// Records what is known of the values of concatenated vectors.
void SetConcatenatedValues(InferenceContext& context, int count, DType dtype) {
  PartialValues known;
  for (int i = 0; i < count; ++i) {
    const std::optional<PartialValues> part = PartialInput(context, i);
    if (!part.has_value()) return;
    known.values.insert(known.values.end(), part->values.begin(),
                        part->values.end());
    if (known.values.size() > static_cast<size_t>(kMaxKnownElements)) return;
  }
  SetPartialValues(context, 0, dtype, known);
}

absl::Status ConcatV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const DType dtype, context.Attr<DType>("T"));
  const int count = context.num_inputs() - 1;  // the last input is the axis
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> axis,
                        ScalarInput(context, count));
  LEAT_ASSIGN_OR_RETURN(const int rank, CommonRank(context, count));
  if (rank < 0) return absl::OkStatus();
  if (!axis.has_value()) {
    context.set_output(0, PartialShape::UnknownOfRank(rank));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const int position, NormalizeAxis(*axis, rank));
  PartialShape merged = PartialShape::UnknownOfRank(rank);
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    LEAT_ASSIGN_OR_RETURN(const PartialShape input, context.WithRank(i, rank));
    LEAT_ASSIGN_OR_RETURN(sum, AddExtents(sum, input.dim(position)));
    LEAT_ASSIGN_OR_RETURN(const PartialShape rest,
                          WithExtent(input, position, PartialShape::kUnknown));
    LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, rest));
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, WithExtent(merged, position, sum));
  context.set_output(0, std::move(shape));
  if (rank == 1) SetConcatenatedValues(context, count, dtype);
  return absl::OkStatus();
}

absl::Status ConcatOffsetShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 0).status());
  for (int i = 0; i < context.num_outputs(); ++i) {
    LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.WithRank(i + 1, 1));
    context.set_output(i, std::move(shape));
  }
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "ConcatV2",
       .doc = "Concatenates tensors along an axis.",
       .inputs = {"values: N * T", "axis: Tidx"},
       .outputs = {"output: T"},
       .attrs = {"N: int >= 2", "T: type", "Tidx: {int32, int64} = int32"},
       .shape = ConcatV2Shape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kPlain + kStringOnly)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"axis"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "ConcatOffset",
                .doc = "Returns where tensors of the given shapes begin when "
                       "they are concatenated.",
                .inputs = {"concat_dim: int32", "shape: N * shape_type"},
                .outputs = {"offset: N * shape_type"},
                .attrs = {"N: int >= 2", "shape_type: {int32, int64} = int32"},
                .shape = ConcatOffsetShape},
               {OnCpu(), HostOnGpu()});
}

}  // namespace leat::ops::concat
