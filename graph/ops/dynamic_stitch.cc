// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines DynamicStitch and ParallelDynamicStitch, which interleave rows by
// index.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::dynamic_stitch {
namespace {

// Returns the number of rows that the indices need: the largest index plus 1,
// or 0 if there are no indices.
absl::StatusOr<int64_t> RowsFor(const Tensor& indices) {
  if (indices.dtype() != DType::kInt32) {
    return absl::InvalidArgumentError("indices must be int32");
  }
  int64_t rows = 0;
  for (const int32_t index : indices.data<int32_t>()) {
    if (index < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("indices must be >= 0, got ", index));
    }
    rows = std::max(rows, int64_t{index} + 1);
  }
  return rows;
}

absl::Status DynamicStitchShape(InferenceContext& context) {
  const int count = context.num_inputs() / 2;
  PartialShape row;
  int64_t rows = 0;
  for (int i = 0; i < count; ++i) {
    const PartialShape& indices = context.input(i);
    const PartialShape& data = context.input(i + count);
    if (const Tensor* value = context.input_value(i)) {
      LEAT_ASSIGN_OR_RETURN(const int64_t needed, RowsFor(*value));
      if (rows != PartialShape::kUnknown) rows = std::max(rows, needed);
    } else {
      rows = PartialShape::kUnknown;
    }
    if (!indices.rank_known() || !data.rank_known()) continue;
    if (data.rank() < indices.rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat("data[", i, "].shape = ", data.DebugString(),
                       " does not start with indices[", i,
                       "].shape = ", indices.DebugString()));
    }
    LEAT_RETURN_IF_ERROR(
        Merge(indices, Subshape(data, 0, indices.rank())).status());
    LEAT_ASSIGN_OR_RETURN(row, Merge(row, Subshape(data, indices.rank())));
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        ConcatenateShapes(PartialShape{rows}, row));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "DynamicStitch",
       .doc = "Merges slices of several tensors into one, at the "
              "places that indices gives.",
       .inputs = {"indices: N * int32", "data: N * T"},
       .outputs = {"merged: T"},
       .attrs = {"N: int", "T: type"},
       .shape = DynamicStitchShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kMovable)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"indices"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  // If two rows have the same index, TensorFlow does not specify which of them
  // the output gets. In Leat, it gets the last one.
  registry.Add(
      {.name = "ParallelDynamicStitch",
       .doc = "Merges slices as DynamicStitch does; TensorFlow leaves "
              "open which of equal indices counts.",
       .inputs = {"indices: N * int32", "data: N * T"},
       .outputs = {"merged: T"},
       .attrs = {"N: int", "T: type"},
       .shape = DynamicStitchShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kMovable)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"indices"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::dynamic_stitch
