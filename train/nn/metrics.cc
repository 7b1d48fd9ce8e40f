// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/metrics.h"

#include "absl/strings/str_cat.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/losses.h"

namespace leat::nn {

Output Accuracy(Output labels, Output logits, SourceLocation location) {
  GraphBuilder* b =
      logits.builder() != nullptr ? logits.builder() : labels.builder();
  if (b == nullptr) return logits;
  const Scope site = b->CallSite(location);
  Scope scope = b->NameScope("accuracy", location);
  if (labels.dtype() == DType::kInvalid) {
    b->Fail(absl::InvalidArgumentError(
                absl::StrCat("metric '", b->name_prefix(),
                             "': the labels are an output of no node")),
            location);
    return Output(Operation(b, kNoNode), 0);
  }
  const Output predicted =
      op::ArgMax(logits, -1, {.output_type = labels.dtype()}, location);
  const Output right = op::Equal(predicted, labels, {}, location);
  return MeanOfAll(op::Cast(right, DType::kFloat, {}, location), location);
}

}  // namespace leat::nn
