// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines DynamicPartition, which distributes rows over several tensors. For
// each row, the input `partitions` has the index of the output tensor that gets
// the row.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::dynamic_partition {
namespace {

absl::Status DynamicPartitionShape(InferenceContext& context) {
  const PartialShape& data = context.input(0);
  const PartialShape& partitions = context.input(1);
  if (!data.rank_known() || !partitions.rank_known()) return absl::OkStatus();
  const int rank = partitions.rank();
  LEAT_RETURN_IF_ERROR(context.WithRankAtLeast(0, rank).status());
  LEAT_RETURN_IF_ERROR(Merge(Subshape(data, 0, rank), partitions).status());
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape shape,
      ConcatenateShapes(PartialShape::UnknownOfRank(1), Subshape(data, rank)));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, shape);
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "DynamicPartition",
       .doc = "Distributes the slices of data over num_partitions "
              "tensors, as partitions says.",
       .inputs = {"data: T", "partitions: int32"},
       .outputs = {"outputs: num_partitions * T"},
       .attrs = {"num_partitions: int", "T: type"},
       .shape = DynamicPartitionShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kMovable)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"partitions"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::dynamic_partition
