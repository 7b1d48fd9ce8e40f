// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines OneHot, which turns each index into a row in which one element is on
// and all others are off.
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

namespace leat::ops::one_hot {
namespace {

absl::Status OneHotShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const int64_t axis, context.Attr<int64_t>("axis"));
  if (axis < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis must be >= -1, got ", axis));
  }
  LEAT_ASSIGN_OR_RETURN(const int64_t depth, ExtentInput(context, 1));
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 0).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(3, 0).status());
  const PartialShape& indices = context.input(0);
  if (!indices.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const int position,
                        NormalizeAxis(axis, indices.rank() + 1));
  Dims dims(indices.dims().begin(), indices.dims().end());
  dims.insert(dims.begin() + position, depth);
  return SetOutput(dims, context);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "OneHot",
       .doc = "Returns on_value at the places in a new axis that indices "
              "gives, and off_value elsewhere.",
       .inputs = {"indices: TI", "depth: int32", "on_value: T", "off_value: T"},
       .outputs = {"output: T"},
       .attrs = {"axis: int = -1", "T: type",
                 "TI: {uint8, int8, int32, int64} = int64"},
       .shape = OneHotShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kMovable)}}),
       InHostMemory(
           OnGpu({{"T", kMovableOnGpu.dtypes()},
                  {"TI", DTypeList<uint8_t, int32_t, int64_t>::dtypes()}}),
           {"depth"})});
}

}  // namespace leat::ops::one_hot
