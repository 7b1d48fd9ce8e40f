// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines UnsortedSegmentSum, which adds up rows with equal ids.
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::segment {
namespace {

// Gives the output the shape [num_segments] + data.shape[rank(segment_ids):].
absl::Status UnsortedSegmentShape(InferenceContext& context) {
  const PartialShape& data = context.input(0);
  const PartialShape& ids = context.input(1);
  LEAT_ASSIGN_OR_RETURN(const int64_t segments, ExtentInput(context, 2));
  if (!ids.rank_known() || !data.rank_known()) return absl::OkStatus();
  if (ids.rank() > data.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("segment_ids has rank ", ids.rank(),
                     ", which is more than the rank of data, ", data.rank()));
  }
  LEAT_RETURN_IF_ERROR(Merge(ids, Subshape(data, 0, ids.rank())).status());
  LEAT_ASSIGN_OR_RETURN(
      PartialShape shape,
      ConcatenateShapes(PartialShape{segments}, Subshape(data, ids.rank())));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "UnsortedSegmentSum",
       .doc = "Adds up the slices of data that have the same segment id.",
       .inputs = {"data: T", "segment_ids: Tindices",
                  "num_segments: Tnumsegments"},
       .outputs = {"output: T"},
       .attrs = {"T: numbertype", "Tindices: {int16, int32, int64}",
                 "Tnumsegments: {int32, int64} = int32"},
       .shape = UnsortedSegmentShape},
      {OnCpu({{"T", kNumbersAndComplexes.dtypes()}}),
       InHostMemory(OnGpu({{"T", kFloatsAndInt64.dtypes()},
                           {"Tindices", kIndices.dtypes()}}),
                    {"num_segments"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::segment
