// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/in_top_k_shapes.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {

absl::Status CheckInTopKShapes(const KernelContext& context) {
  const Shape& predictions = context.input(0).shape();
  const Shape& targets = context.input(1).shape();
  if (!predictions.IsMatrix()) {
    return absl::InvalidArgumentError("predictions must be 2-dimensional");
  }
  if (!targets.IsVector()) {
    return absl::InvalidArgumentError("targets must be 1-dimensional");
  }
  if (predictions.dim(0) == targets.dim(0)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("First dimension of predictions ", predictions.dim(0),
                   " must match length of targets ", targets.dim(0)));
}

absl::StatusOr<int64_t> InTopKInput(const KernelContext& context) {
  const Tensor& k = context.input(2);
  if (!k.shape().IsScalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("k must be 0-D, got shape ", k.shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims value, GetIndices(k, "k"));
  return value[0];
}

}  // namespace leat::kernels
