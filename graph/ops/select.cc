// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Select and SelectV2, which choose one of two values, element by
// element.
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::select {
namespace {

// Checks the shape of the condition. It must be a scalar, a vector as long as
// the first axis of the values, or of the same shape as the values.
absl::Status SelectShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape data,
                        Merge(context.input(1), context.input(2)));
  const PartialShape& condition = context.input(0);
  const HandleShape* handle = context.input_handle(1);
  if (handle != nullptr) context.set_output_handle(0, *handle);
  if (!condition.rank_known() || !data.rank_known() || condition.rank() == 0) {
    context.set_output(0, std::move(data));
    return absl::OkStatus();
  }
  if (condition.rank() == 1 && data.rank() > 1) {
    LEAT_RETURN_IF_ERROR(MergeExtents(condition.dim(0), data.dim(0)).status());
    context.set_output(0, std::move(data));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(data, Merge(data, condition));
  context.set_output(0, std::move(data));
  return absl::OkStatus();
}

absl::Status SelectV2Shape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape values,
      BroadcastPartialShapes(context.input(1), context.input(2)));
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        BroadcastPartialShapes(context.input(0), values));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Select",
                .doc = "Returns t where condition is true, and e elsewhere, "
                       "element by element or row by row.",
                .inputs = {"condition: bool", "t: T", "e: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = SelectShape},
               {OnCpu({{"T", WithStoredTypes(kMovable)}}),
                OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "SelectV2",
                .doc = "Returns t where condition is true, and e elsewhere, "
                       "and broadcasts all three.",
                .inputs = {"condition: bool", "t: T", "e: T"},
                .outputs = {"output: T"},
                .attrs = {"T: type"},
                .shape = SelectV2Shape},
               {OnCpu({{"T", WithStoredTypes(kMovable)}}),
                OnGpu({{"T", kMovableOnGpu.dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::select
