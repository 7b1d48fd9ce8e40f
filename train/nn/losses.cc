// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/losses.h"

#include "leat/graph/ops.h"

namespace leat::nn {
namespace {

// Returns the builder to which a loss belongs. If one argument belongs to no
// node, the ops report an error to that builder.
GraphBuilder* BuilderOf(const Output& x, const Output& y) {
  return x.builder() != nullptr ? x.builder() : y.builder();
}

}  // namespace

Output MeanOfAll(Output x, SourceLocation location) {
  const PartialShape shape = x.shape();
  if (x.builder() == nullptr || !x.IsValid()) return x;
  const Scope site = x.builder()->CallSite(location);
  if (!shape.rank_known()) {
    return op::Mean(x, op::Range(0, op::Rank(x, location), 1, location), {},
                    location);
  }
  Dims axes;
  for (int i = 0; i < shape.rank(); ++i) axes.push_back(i);
  return op::Mean(x, axes, {}, location);
}

Output SparseSoftmaxCrossEntropy(Output labels, Output logits,
                                 SourceLocation location) {
  GraphBuilder* b = BuilderOf(logits, labels);
  if (b == nullptr) return logits;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope("sparse_softmax_cross_entropy_loss", location);
  return MeanOfAll(
      op::SparseSoftmaxCrossEntropyWithLogits(logits, labels, location).loss,
      location);
}

Output SoftmaxCrossEntropy(Output labels, Output logits,
                           SourceLocation location) {
  GraphBuilder* b = BuilderOf(logits, labels);
  if (b == nullptr) return logits;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope("softmax_cross_entropy_loss", location);
  return MeanOfAll(
      op::SoftmaxCrossEntropyWithLogits(logits, labels, location).loss,
      location);
}

Output MeanSquaredError(Output labels, Output predictions,
                        SourceLocation location) {
  GraphBuilder* b = BuilderOf(predictions, labels);
  if (b == nullptr) return predictions;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope("mean_squared_error", location);
  return MeanOfAll(op::SquaredDifference(predictions, labels, location),
                   location);
}

}  // namespace leat::nn
