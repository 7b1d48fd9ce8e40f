// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/softmax_shapes.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace leat::kernels {

absl::Status CheckSoftmaxShape(const Shape& logits) {
  if (logits.rank() >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "logits must have >= 1 dimension, got ", logits.DebugString()));
}

absl::StatusOr<Shape> CrossEntropyShape(const KernelContext& context) {
  const Shape& logits = context.input(0).shape();
  const Shape& labels = context.input(1).shape();
  const auto broadcast = BroadcastShapes(logits, labels);
  if (!broadcast.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "logits and labels must be broadcastable: logits_size=",
        logits.DebugString(), " labels_size=", labels.DebugString()));
  }
  if (!broadcast->IsMatrix()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "logits and labels must be either 2-dimensional, or broadcasted to "
        "be 2-dimensional, got ",
        broadcast->DebugString()));
  }
  return broadcast;
}

absl::Status CheckSparseCrossEntropyShapes(const KernelContext& context) {
  const Shape& logits = context.input(0).shape();
  const Shape& labels = context.input(1).shape();
  if (!logits.IsMatrix()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "logits must be 2-D, but got shape ", logits.DebugString()));
  }
  if (!labels.IsVector()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "labels must be 1-D, but got shape ", labels.DebugString()));
  }
  if (logits.dim(0) != labels.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "logits and labels must have the same first dimension, got logits "
        "shape ",
        logits.DebugString(), " and labels shape ", labels.DebugString()));
  }
  if (logits.dim(1) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Must have at least one class, but got logits shape ",
                     logits.DebugString()));
  }
  return absl::OkStatus();
}

}  // namespace leat::kernels
