// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines TopKV2, InTopK and InTopKV2.
#include <algorithm>
#include <cmath>
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/gpu_dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::top_k {
namespace {

absl::Status TopKShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape input,
                        context.WithRankAtLeast(0, 1));
  LEAT_ASSIGN_OR_RETURN(const int64_t k, ExtentInput(context, 1));
  if (!input.rank_known()) return absl::OkStatus();
  const int64_t last = ExtentOf(input, -1);
  if (k != PartialShape::kUnknown && last != PartialShape::kUnknown &&
      k > last) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input must have last dimension >= k = ", k, " but is ", last));
  }
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                        WithExtent(input, input.rank() - 1, k));
  context.set_output(0, shape);
  context.set_output(1, shape);
  return absl::OkStatus();
}

absl::Status InTopKShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape predictions, context.WithRank(0, 2));
  LEAT_ASSIGN_OR_RETURN(const PartialShape targets, context.WithRank(1, 1));
  if (context.num_inputs() > 2) {  // InTopKV2
    LEAT_RETURN_IF_ERROR(context.WithRank(2, 0).status());
  }
  LEAT_ASSIGN_OR_RETURN(const int64_t batch,
                        MergeExtents(predictions.dim(0), targets.dim(0)));
  context.set_output(0, PartialShape{batch});
  return absl::OkStatus();
}

// Keeps the k largest elements of a row in a heap, which changes seldom, and
// sorts them.
Work TopKWork(const WorkContext& context) {
  Work work = works::Move(context);
  const double columns = std::max(context.InputExtent(0, -1), 1.0);
  const double rows = context.input(0).num_elements() / columns;
  const double k = context.OutputExtent(0, -1);
  work.flops = rows * (2 * columns + 2 * k * std::log2(columns + 1));
  return work;
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "TopKV2",
       .doc = "Returns the k largest elements of each row and their indices.",
       .inputs = {"input: T", "k: Tk"},
       .outputs = {"values: T", "indices: index_type"},
       .attrs = {"sorted: bool = true", "T: realnumbertype",
                 "Tk: {int16, int32, int64} = int32",
                 "index_type: {int16, int32, int64} = int32"},
       .shape = TopKShape,
       .work = TopKWork},
      {ExpensiveOnCpu({{"T", kNumbers.dtypes()}}),
       InHostMemory(OnGpu({{"T", kRealNumbersOnGpu.dtypes()}}), {"k"}),
       HostOnGpu({{"T", {DType::kInt32}}})});

  registry.Add({.name = "InTopK",
                .doc = "Returns for each row of predictions whether its target "
                       "is among the k largest, for an attr k.",
                .inputs = {"predictions: float", "targets: T"},
                .outputs = {"precision: bool"},
                .attrs = {"k: int", "T: {int32, int64} = int32"},
                .shape = InTopKShape},
               {OnCpu(), OnGpu()});

  registry.Add({.name = "InTopKV2",
                .doc = "Returns for each row of predictions whether its target "
                       "is among the k largest, for an input k.",
                .inputs = {"predictions: float", "targets: T", "k: T"},
                .outputs = {"precision: bool"},
                .attrs = {"T: {int32, int64} = int32"},
                .shape = InTopKShape},
               {OnCpu(), InHostMemory(OnGpu(), {"k"})});
}

}  // namespace leat::ops::top_k
