// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines GRUBlockCell and the op of its gradient.
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::gru_block_cell {
namespace {

absl::Status CellShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(0, 2));
  LEAT_ASSIGN_OR_RETURN(const PartialShape h_prev, context.WithRank(1, 2));
  const PartialShape states = {x.dim(0), h_prev.dim(1)};
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, states);
  return absl::OkStatus();
}

absl::Status CellGradShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape w_ru, context.WithRank(2, 2));
  LEAT_RETURN_IF_ERROR(CellShape(context));
  LEAT_ASSIGN_OR_RETURN(const PartialShape x, context.WithRank(0, 2));
  context.set_output(0, x);
  context.set_output(3, PartialShape({x.dim(0), w_ru.dim(1)}));
  return absl::OkStatus();
}

// The kernels compute in float.
constexpr double kFloatBytes = sizeof(float);

// Returns the work of the products with both matrices of weights, and of
// `cell_flops` other operations for each cell. The products are temporary
// tensors of `temporary` elements.
Work GruWork(const WorkContext& context, double cell_flops, double temporary) {
  const double batch = context.InputExtent(0, 0);
  const double weights =
      context.input(2).num_elements() + context.input(3).num_elements();
  Work work = works::Move(context);
  work.flops =
      2 * batch * weights + cell_flops * context.input(1).num_elements();
  work.scratch_bytes = kFloatBytes * temporary;
  work.bytes_read += work.scratch_bytes;
  work.bytes_written += work.scratch_bytes;
  return work;
}

// There are two products for each of three gates, and h_prev behind the reset
// gate.
Work CellWork(const WorkContext& context) {
  return GruWork(context, /*cell_flops=*/3 * kTranscendentalFlops + 12,
                 /*temporary=*/7 * context.input(1).num_elements());
}

// There are two products that have gradients of x and of h_prev.
Work CellGradWork(const WorkContext& context) {
  const double gradients =
      context.input(0).num_elements() + context.input(1).num_elements();
  return GruWork(context, /*cell_flops=*/25, /*temporary=*/2 * gradients);
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "GRUBlockCell",
                .doc = "Computes one step of a GRU.",
                .inputs = {"x: T", "h_prev: T", "w_ru: T", "w_c: T", "b_ru: T",
                           "b_c: T"},
                .outputs = {"r: T", "u: T", "c: T", "h: T"},
                .attrs = {"T: {float}"},
                .shape = CellShape,
                .work = CellWork},
               {ExpensiveOnCpu({{"T", {DType::kFloat}}})});

  registry.Add(
      {.name = "GRUBlockCellGrad",
       .doc =
           "Computes the gradients of GRUBlockCell with respect to x, h_prev "
           "and the gates.",
       .inputs = {"x: T", "h_prev: T", "w_ru: T", "w_c: T", "b_ru: T", "b_c: T",
                  "r: T", "u: T", "c: T", "d_h: T"},
       .outputs = {"d_x: T", "d_h_prev: T", "d_c_bar: T", "d_r_bar_u_bar: T"},
       .attrs = {"T: {float}"},
       .shape = CellGradShape,
       .work = CellGradWork},
      {ExpensiveOnCpu({{"T", {DType::kFloat}}})});
}

}  // namespace leat::ops::gru_block_cell
