// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Kernels of float32 for half and bfloat16, which the host computes in float32
// anyway: inputs are widened, outputs rounded.
#ifndef LEAT_KERNELS_THROUGH_FLOAT_H_
#define LEAT_KERNELS_THROUGH_FLOAT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "leat/core/dtype.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels {

inline bool IsHalfOrBfloat16(DType dtype) {
  return dtype == DType::kHalf || dtype == DType::kBfloat16;
}

// A kernel for `node`, whose attr T is half or bfloat16, around the one that
// `factory` makes for the same node with T float. Only arguments of dtype T are
// converted. The inner kernel must be synchronous. Fails as `factory` does.
absl::StatusOr<std::unique_ptr<Kernel>> ThroughFloat(const NodeDef& node,
                                                     KernelFactory factory);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_THROUGH_FLOAT_H_
