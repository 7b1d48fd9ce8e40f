// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines LRN, local response normalization, and the op of its gradient.
#include <utility>

#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::lrn {
namespace {

absl::Status LrnShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.WithRank(0, 4));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status LrnGradShape(InferenceContext& context) {
  PartialShape merged = PartialShape::UnknownOfRank(4);
  for (int i = 0; i < 3; ++i) {
    LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, context.input(i)));
  }
  context.set_output(0, std::move(merged));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "LRN",
       .doc = "Divides each element by a power of the sum of squares of its "
              "neighbours among the channels.",
       .inputs = {"input: T"},
       .outputs = {"output: T"},
       .attrs = {"depth_radius: int = 5", "bias: float = 1", "alpha: float = 1",
                 "beta: float = 0.5", "T: {half, bfloat16, float} = float"},
       .shape = LrnShape},
      {ExpensiveOnCpu(
          {{"T", {DType::kHalf, DType::kBfloat16, DType::kFloat}}})});

  registry.Add(
      {.name = "LRNGrad",
       .doc = "Computes the gradient of LRN with respect to its input.",
       .inputs = {"input_grads: T", "input_image: T", "output_image: T"},
       .outputs = {"output: T"},
       .attrs = {"depth_radius: int = 5", "bias: float = 1", "alpha: float = 1",
                 "beta: float = 0.5", "T: {half, bfloat16, float} = float"},
       .shape = LrnGradShape},
      {ExpensiveOnCpu(
          {{"T", {DType::kHalf, DType::kBfloat16, DType::kFloat}}})});
}

}  // namespace leat::ops::lrn
