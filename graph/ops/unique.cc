// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Unique and UniqueV2, which return the distinct values of a vector or
// slices of a tensor, their forms that count them, and ListDiff.
#include <utility>
#include <vector>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::unique {
namespace {

absl::Status UniqueShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape input, context.WithRank(0, 1));
  context.set_output(0, PartialShape::UnknownOfRank(1));
  context.set_output(1, std::move(input));
  return absl::OkStatus();
}

absl::Status UniqueWithCountsShape(InferenceContext& context) {
  context.set_output(2, PartialShape::UnknownOfRank(1));
  return UniqueShape(context);
}

// The number of slices is known if the axis is.
absl::Status UniqueV2Shape(InferenceContext& context) {
  const PartialShape& input = context.input(0);
  if (input.rank_known()) {
    context.set_output(0, PartialShape::UnknownOfRank(input.rank()));
  }
  context.set_output(1, PartialShape::UnknownOfRank(1));
  if (context.num_outputs() > 2) {
    context.set_output(2, PartialShape::UnknownOfRank(1));
  }
  const Tensor* axes = context.input_value(1);
  if (axes == nullptr || !input.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const Dims values, GetIndices(*axes, "axis"));
  if (values.size() > 1) {
    return absl::InvalidArgumentError(
        "axis does not support input tensors larger than 1 elements");
  }
  if (values.empty()) return UniqueShape(context);
  LEAT_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(values[0], input.rank()));
  LEAT_ASSIGN_OR_RETURN(PartialShape output,
                        WithExtent(input, axis, PartialShape::kUnknown));
  context.set_output(0, std::move(output));
  context.set_output(1, Subshape(input, axis, axis + 1));
  return absl::OkStatus();
}

absl::Status ListDiffShape(InferenceContext& context) {
  for (int i = 0; i < 2; ++i) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 1).status());
    context.set_output(i, PartialShape::UnknownOfRank(1));
  }
  return absl::OkStatus();
}

std::vector<DType> Comparable() {
  return (kNumbers + kBoolOnly + kStringOnly).dtypes();
}

void RegisterOthers(OpRegistry& registry) {
  registry.Add(
      {.name = "UniqueV2",
       .doc = "Returns the distinct slices of x along an axis, and for "
              "each slice its index among them.",
       .inputs = {"x: T", "axis: Taxis"},
       .outputs = {"y: T", "idx: out_idx"},
       .attrs = {"T: type", "Taxis: {int32, int64} = int64",
                 "out_idx: {int32, int64} = int32"},
       .shape = UniqueV2Shape,
       .work = works::PerElement<10>},
      {OnCpu({{"T", Comparable()}})});
  registry.Add({.name = "UniqueWithCounts",
                .doc = "Returns the distinct elements of x, the index of each "
                       "element among them, and their counts.",
                .inputs = {"x: T"},
                .outputs = {"y: T", "idx: out_idx", "count: out_idx"},
                .attrs = {"T: type", "out_idx: {int32, int64} = int32"},
                .shape = UniqueWithCountsShape,
                .work = works::PerElement<10>},
               {OnCpu({{"T", Comparable()}})});
  registry.Add({.name = "UniqueWithCountsV2",
                .doc = "Returns the distinct slices of x, the index of each "
                       "slice among them, and their counts.",
                .inputs = {"x: T", "axis: Taxis"},
                .outputs = {"y: T", "idx: out_idx", "count: out_idx"},
                .attrs = {"T: type", "Taxis: {int32, int64} = int64",
                          "out_idx: {int32, int64} = int32"},
                .shape = UniqueV2Shape,
                .work = works::PerElement<10>},
               {OnCpu({{"T", Comparable()}})});
  registry.Add({.name = "ListDiff",
                .doc = "Returns the elements of x that are not in y, and where "
                       "they stand in x.",
                .inputs = {"x: T", "y: T"},
                .outputs = {"out: T", "idx: out_idx"},
                .attrs = {"T: type", "out_idx: {int32, int64} = int32"},
                .shape = ListDiffShape,
                .work = works::PerElement<10>},
               {OnCpu({{"T", (kNumbers + kStringOnly).dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  RegisterOthers(registry);
  registry.Add({.name = "Unique",
                .doc = "Returns the distinct elements of x, and for each "
                       "element of x its index among them.",
                .inputs = {"x: T"},
                .outputs = {"y: T", "idx: out_idx"},
                .attrs = {"T: type", "out_idx: {int32, int64} = int32"},
                .shape = UniqueShape,
                .work = works::PerElement<10>},
               {OnCpu({{"T", (kNumbers + kBoolOnly + kStringOnly).dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32, DType::kInt64}}})});
}

}  // namespace leat::ops::unique
