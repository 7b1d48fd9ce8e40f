// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::segment {
namespace {

// Rows with ids below 0 were dropped, so they get no gradient.
void UnsortedSegmentSumGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output ids = c.input(1);
  const Output dy = c.grad();
  const Output rows = op::GatherV2(dy, op::Maximum(ids, 0), 0);
  Output kept = op::GreaterEqual(ids, 0);
  // SelectV2 aligns shapes from the right, but the ids belong to the leading
  // dimensions.
  const PartialShape data = c.input(0).shape();
  const PartialShape id_shape = ids.shape();
  if (data.rank_known() && id_shape.rank_known()) {
    for (int i = id_shape.rank(); i < data.rank(); ++i) {
      kept = op::ExpandDims(kept, -1);
    }
  } else {
    const Output extra = op::Rank(rows) - op::Rank(ids);
    kept = op::Reshape(
        kept,
        op::ConcatV2({ShapeOf(ids), op::Fill(op::ExpandDims(extra, 0), 1)}, 0));
  }
  c.set(0, op::SelectV2(kept, rows, op::ZerosLike(rows)));
}

void SegmentSumGrad(GradientContext& c) {
  if (c.needs(0)) c.set(0, op::GatherV2(c.grad(), c.input(1), 0));
}

// Divides the gradient of each segment by the number of its rows.
void SegmentMeanGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output ids = c.input(1);
  const Output dy = c.grad();
  const Output ones = op::Fill(
      op::ConcatV2({ShapeOf(ids),
                    op::Fill(op::ExpandDims(op::Rank(c.input(0)) - 1, 0), 1)},
                   0),
      op::Cast(c.builder().Const<float>(1), dy.dtype()));
  c.set(0, op::GatherV2(dy / op::SegmentSum(ones, ids), ids, 0));
}

// Computes the gradient of a sparse form from those of the segments.
using SparseGradient = Output (*)(Output dy, Output indices, Output ids,
                                  Output rows);

template <SparseGradient gradient>
void SparseSegmentGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  if (c.attr<bool>("sparse_gradient")) {
    return c.builder().Fail(
        absl::UnimplementedError(
            absl::StrCat("node '", c.operation().name(),
                         "' has sparse_gradient, for which the gradient is not "
                         "implemented")),
        SourceLocation{});
  }
  const Output rows = ShapeOf(c.input(0)).Slice({0});
  c.set(0, gradient(c.grad(), c.input(1), c.input(2), rows));
}

Output SumGrad(Output dy, Output indices, Output ids, Output rows) {
  return op::SparseSegmentSumGrad(dy, indices, ids, rows);
}
Output MeanGrad(Output dy, Output indices, Output ids, Output rows) {
  return op::SparseSegmentMeanGrad(dy, indices, ids, rows);
}
Output SqrtNGrad(Output dy, Output indices, Output ids, Output rows) {
  return op::SparseSegmentSqrtNGrad(dy, indices, ids, rows);
}

void DynamicStitchGrad(GradientContext& c) {
  const int count = c.num_inputs() / 2;
  const Output dy = c.grad();
  for (int i = 0; i < count; ++i) {
    if (c.needs(count + i)) c.set(count + i, op::GatherV2(dy, c.input(i), 0));
  }
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("UnsortedSegmentSum", UnsortedSegmentSumGrad);
  registry.Add("SegmentSum", SegmentSumGrad);
  registry.Add("SegmentMean", SegmentMeanGrad);
  registry.Add("SparseSegmentSum", SparseSegmentGrad<&SumGrad>);
  registry.Add("SparseSegmentMean", SparseSegmentGrad<&MeanGrad>);
  registry.Add("SparseSegmentSqrtN", SparseSegmentGrad<&SqrtNGrad>);
  registry.Add("DynamicStitch", DynamicStitchGrad);
  registry.Add("ParallelDynamicStitch", DynamicStitchGrad);
}

}  // namespace leat::gradients::segment
