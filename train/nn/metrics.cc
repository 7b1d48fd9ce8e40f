// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/metrics.h"

#include "leat/graph/ops.h"
#include "leat/train/nn/losses.h"

namespace leat::nn {

Output Accuracy(Output labels, Output logits, SourceLocation location) {
  GraphBuilder* b = logits.builder();
  if (b == nullptr || !labels.IsValid()) return logits;
  Scope scope = b->NameScope("accuracy", location);
  const Output predicted =
      op::ArgMax(logits, -1, {.output_type = labels.dtype()}, location);
  const Output right = op::Equal(predicted, labels, {}, location);
  return MeanOfAll(op::Cast(right, DType::kFloat, {}, location), location);
}

}  // namespace leat::nn
