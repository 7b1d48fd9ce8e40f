// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Softmax, LogSoftmax and the two ops that compute a cross entropy.
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::softmax {
namespace {

absl::Status SoftmaxShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, context.WithRankAtLeast(0, 1));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status CrossEntropyShape(InferenceContext& context) {
  // First tries to merge the two shapes, because they are usually equal.
  // Merging also works if a shape is unknown. Then tries to broadcast the
  // shapes, for which both ranks must be known.
  absl::StatusOr<PartialShape> shape = context.WithRank(0, 2);
  if (shape.ok()) shape = Merge(*shape, context.input(1));
  if (!shape.ok()) {
    shape = BroadcastPartialShapes(context.input(0), context.input(1));
  }
  if (!shape.ok()) return shape.status();
  if (!shape->rank_known() || shape->rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shape must be broadcasted with rank 2, but is ",
                     shape->DebugString()));
  }
  context.set_output(0, Subshape(*shape, 0, 1));
  context.set_output(1, *std::move(shape));
  return absl::OkStatus();
}

absl::Status SparseCrossEntropyShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape features, context.WithRank(0, 2));
  LEAT_ASSIGN_OR_RETURN(const PartialShape labels, context.WithRank(1, 1));
  LEAT_ASSIGN_OR_RETURN(const int64_t batch,
                        MergeExtents(features.dim(0), labels.dim(0)));
  context.set_output(0, PartialShape{batch});
  LEAT_ASSIGN_OR_RETURN(PartialShape backprop, WithExtent(features, 0, batch));
  context.set_output(1, std::move(backprop));
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add(
      {.name = "Softmax",
       .doc = "Computes the softmax of each row of logits.",
       .inputs = {"logits: T"},
       .outputs = {"softmax: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = SoftmaxShape,
       .work = works::PerElement<20>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "LogSoftmax",
       .doc = "Computes the logarithm of the softmax of each row of logits.",
       .inputs = {"logits: T"},
       .outputs = {"logsoftmax: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = SoftmaxShape,
       .work = works::PerElement<20>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "SoftmaxCrossEntropyWithLogits",
       .doc = "Computes for each row the cross entropy of labels and "
              "Softmax(features), and its gradient.",
       .inputs = {"features: T", "labels: T"},
       .outputs = {"loss: T", "backprop: T"},
       .attrs = {"T: {half, bfloat16, float, double}"},
       .shape = CrossEntropyShape,
       .work = works::PerElement<24>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});

  registry.Add(
      {.name = "SparseSoftmaxCrossEntropyWithLogits",
       .doc = "Computes for each row the cross entropy of one class "
              "and Softmax(features), and its gradient.",
       .inputs = {"features: T", "labels: Tlabels"},
       .outputs = {"loss: T", "backprop: T"},
       .attrs = {"T: {half, bfloat16, float, double}",
                 "Tlabels: {int32, int64} = int64"},
       .shape = SparseCrossEntropyShape,
       .work = works::PerElement<20>},
      {OnCpu({{"T", kFloats.dtypes()}}), OnGpu({{"T", kFloats.dtypes()}})});
}

}  // namespace leat::ops::softmax
