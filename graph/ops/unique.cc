// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Unique, which returns the distinct values of a vector.
#include <utility>

#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::unique {
namespace {

absl::Status UniqueShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape input, context.WithRank(0, 1));
  context.set_output(0, PartialShape::UnknownOfRank(1));
  context.set_output(1, std::move(input));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "Unique",
                .doc = "Returns the distinct elements of x, and for each "
                       "element of x its index among them.",
                .inputs = {"x: T"},
                .outputs = {"y: T", "idx: out_idx"},
                .attrs = {"T: type", "out_idx: {int32, int64} = int32"},
                .shape = UniqueShape},
               {OnCpu({{"T", (kNumbers + kBoolOnly + kStringOnly).dtypes()}}),
                HostOnGpu({{"T", {DType::kInt32, DType::kInt64}}})});
}

}  // namespace leat::ops::unique
