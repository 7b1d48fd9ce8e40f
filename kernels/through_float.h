// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ThroughFloat runs a float32 kernel on half and bfloat16 tensors. It widens
// the inputs before the kernel runs and rounds the outputs afterwards. CPUs
// compute half and bfloat16 in float32 anyway, so separate kernels for them
// would not be faster. Use ThroughFloat in the factory of a kernel:
//
//   if (IsHalfOrBfloat16(dtype)) return ThroughFloat(node, &MakeLRN<K>);
#ifndef LEAT_KERNELS_THROUGH_FLOAT_H_
#define LEAT_KERNELS_THROUGH_FLOAT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "leat/core/dtype.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels {

// Returns true for the two dtypes that ThroughFloat converts.
inline bool IsHalfOrBfloat16(DType dtype) {
  return dtype == DType::kHalf || dtype == DType::kBfloat16;
}

// Makes a kernel for `node`, whose attr T is half or bfloat16. The kernel wraps
// and owns the kernel that `factory` makes for the same node with T = float.
// Only inputs and outputs of dtype T are converted. Returns the errors of
// `factory`. REQUIRES: the kernel of `factory` is synchronous.
absl::StatusOr<std::unique_ptr<Kernel>> ThroughFloat(const NodeDef& node,
                                                     KernelFactory factory);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_THROUGH_FLOAT_H_
