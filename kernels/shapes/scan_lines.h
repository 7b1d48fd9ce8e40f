// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FindScanLines finds the lines along which Cumsum and Cumprod run. The kernels
// for all devices share it.
#ifndef LEAT_KERNELS_SHAPES_SCAN_LINES_H_
#define LEAT_KERNELS_SHAPES_SCAN_LINES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Describes a tensor as [outer, n, inner]. A line has the n elements of the
// middle dimension.
struct ScanLines {
  int64_t outer = 1;
  int64_t n = 1;
  int64_t inner = 1;
};

// Returns the lines of input 0 along the axis that input 1 names. Returns
// INVALID_ARGUMENT, with TensorFlow's text, if there is no such axis.
absl::StatusOr<ScanLines> FindScanLines(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_SCAN_LINES_H_
