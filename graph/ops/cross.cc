// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Cross, the cross product of vectors of three elements.
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::cross {
namespace {

absl::Status CrossShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRankAtLeast(0, 1).status());
  LEAT_RETURN_IF_ERROR(context.WithRankAtLeast(1, 1).status());
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        Merge(context.input(0), context.input(1)));
  if (shape.rank_known()) {
    LEAT_RETURN_IF_ERROR(MergeExtents(ExtentOf(shape, -1), 3).status());
  }
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Cross",
                .doc = "Returns the cross products of the vectors of three "
                       "elements in a and b.",
                .inputs = {"a: T", "b: T"},
                .outputs = {"product: T"},
                .attrs = {"T: realnumbertype"},
                .shape = CrossShape,
                .work = works::PerElement<3>},
               {OnCpu({{"T", kNumbers.dtypes()}})});
}

}  // namespace leat::ops::cross
