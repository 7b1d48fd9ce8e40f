// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines StringJoin, which concatenates strings element by element.
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::string_join {
namespace {

// All inputs that are not scalars must have the same shape, which is the shape
// of the output.
absl::Status StringJoinShape(InferenceContext& context) {
  PartialShape merged;
  bool all_scalars = true;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const PartialShape& input = context.input(i);
    if (input.rank_known() && input.rank() == 0) continue;
    all_scalars = false;
    LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, input));
  }
  context.set_output(0, all_scalars ? PartialShape(Shape{}) : merged);
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "StringJoin",
       .doc =
           "Joins strings, element by element, with a separator between them.",
       .inputs = {"inputs: N * string"},
       .outputs = {"output: string"},
       .attrs = {"N: int >= 0", "separator: string = ''"},
       .shape = StringJoinShape},
      {OnCpu()});
}

}  // namespace leat::ops::string_join
