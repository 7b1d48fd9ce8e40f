// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines LRN, local response normalization, and the op of its gradient.
#include <utility>

#include <algorithm>
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

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

// Takes `kFlops` operations for each neighbour of an element, and a power.
template <int kFlops>
Work LrnWork(const WorkContext& context) {
  Work work = works::Move(context);
  const auto radius = context.attrs().Get<int64_t>("depth_radius");
  const double window = 2 * static_cast<double>(radius.value_or(0)) + 1;
  const double neighbours = std::min(window, context.InputExtent(0, -1));
  work.flops = (kFlops * neighbours + 2 * kTranscendentalFlops) *
               context.output(0).num_elements();
  return work;
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
       .shape = LrnShape,
       .work = LrnWork<2>},
      {ExpensiveOnCpu(
          {{"T", {DType::kHalf, DType::kBfloat16, DType::kFloat}}})});

  registry.Add(
      {.name = "LRNGrad",
       .doc = "Computes the gradient of LRN with respect to its input.",
       .inputs = {"input_grads: T", "input_image: T", "output_image: T"},
       .outputs = {"output: T"},
       .attrs = {"depth_radius: int = 5", "bias: float = 1", "alpha: float = 1",
                 "beta: float = 0.5", "T: {half, bfloat16, float} = float"},
       .shape = LrnGradShape,
       .work = LrnWork<4>},
      {ExpensiveOnCpu(
          {{"T", {DType::kHalf, DType::kBfloat16, DType::kFloat}}})});
}

}  // namespace leat::ops::lrn
