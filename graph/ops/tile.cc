// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Tile, which repeats a tensor along its axes.
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::tile {
namespace {

absl::Status TileShape(InferenceContext& context) {
  const PartialShape& input = context.input(0);
  LEAT_ASSIGN_OR_RETURN(const PartialShape multiples_shape,
                        context.WithRank(1, 1));
  // ShapeInput would take -1 in `multiples` for an unknown extent. Here -1 is
  // an error, which GetShape returns.
  if (const Tensor* multiples = context.input_value(1)) {
    LEAT_RETURN_IF_ERROR(GetShape(*multiples, "multiples").status());
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape multiples, ShapeInput(context, 1));
  if (!multiples.rank_known() && input.rank_known()) {
    LEAT_RETURN_IF_ERROR(
        MergeExtents(multiples_shape.dim(0), input.rank()).status());
    multiples = PartialShape::UnknownOfRank(input.rank());
  }
  if (!multiples.rank_known()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const PartialShape ranked,
                        context.WithRank(0, multiples.rank()));
  Dims dims;
  for (int i = 0; i < multiples.rank(); ++i) {
    LEAT_ASSIGN_OR_RETURN(const int64_t extent,
                          MultiplyExtents(ranked.dim(i), multiples.dim(i)));
    dims.push_back(extent);
  }
  return SetOutput(dims, context);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Tile",
       .doc = "Repeats a tensor along each axis as often as multiples says.",
       .inputs = {"input: T", "multiples: Tmultiples"},
       .outputs = {"output: T"},
       .attrs = {"T: type", "Tmultiples: {int32, int64} = int32"},
       .shape = TileShape,
       .work = works::Move},
      {OnCpu({{"T", WithStoredTypes(kMovable)}}),
       InHostMemory(OnGpu({{"T", kMovableOnGpu.dtypes()}}), {"multiples"}),
       HostOnGpu({{"T", {DType::kInt32}}})});
}

}  // namespace leat::ops::tile
