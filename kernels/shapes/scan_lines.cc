// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/shapes/scan_lines.h"

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {

absl::StatusOr<ScanLines> FindScanLines(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const int rank = input.rank();
  if (context.input(1).rank() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("ScanOp: axis must be a scalar, not ",
                     context.input(1).shape().DebugString()));
  }
  LEAT_ASSIGN_OR_RETURN(const Dims axes, GetIndices(context.input(1), "axis"));
  if (axes[0] < -rank || axes[0] >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("ScanOp: Expected scan axis in the range [", -rank, ", ",
                     rank, "), but got ", axes[0]));
  }
  const int axis = static_cast<int>(axes[0] < 0 ? axes[0] + rank : axes[0]);
  ScanLines lines;
  if (input.num_elements() == 0) {
    lines.outer = 0;
    return lines;
  }
  lines.n = input.dim(axis);
  lines.inner = input.shape().Strides()[axis];
  lines.outer = input.num_elements() / lines.n / lines.inner;
  return lines;
}

}  // namespace leat::kernels
