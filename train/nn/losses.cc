// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/losses.h"

#include "leat/graph/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::nn {

Output MeanOfAll(Output x, SourceLocation location) {
  const PartialShape shape = x.shape();
  if (x.builder() == nullptr || !x.IsValid()) return x;
  if (!shape.rank_known()) {
    return op::Mean(x, op::Range(0, op::Rank(x, location), 1, location), {},
                    location);
  }
  Dims axes;
  for (int i = 0; i < shape.rank(); ++i) axes.push_back(i);
  return op::Mean(x, gradients::IntVector(*x.builder(), axes), {}, location);
}

Output SparseSoftmaxCrossEntropy(Output labels, Output logits,
                                 SourceLocation location) {
  GraphBuilder* b = logits.builder();
  if (b == nullptr) return logits;
  Scope scope = b->NameScope("sparse_softmax_cross_entropy_loss", location);
  return MeanOfAll(
      op::SparseSoftmaxCrossEntropyWithLogits(logits, labels, location).loss,
      location);
}

Output SoftmaxCrossEntropy(Output labels, Output logits,
                           SourceLocation location) {
  GraphBuilder* b = logits.builder();
  if (b == nullptr) return logits;
  Scope scope = b->NameScope("softmax_cross_entropy_loss", location);
  return MeanOfAll(
      op::SoftmaxCrossEntropyWithLogits(logits, labels, location).loss,
      location);
}

Output MeanSquaredError(Output labels, Output predictions,
                        SourceLocation location) {
  GraphBuilder* b = predictions.builder();
  if (b == nullptr) return predictions;
  Scope scope = b->NameScope("mean_squared_error", location);
  return MeanOfAll(op::SquaredDifference(predictions, labels, location),
                   location);
}

}  // namespace leat::nn
