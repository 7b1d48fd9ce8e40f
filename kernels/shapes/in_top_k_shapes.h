// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions check the inputs of InTopK and InTopKV2 for all devices.
#ifndef LEAT_KERNELS_SHAPES_IN_TOP_K_SHAPES_H_
#define LEAT_KERNELS_SHAPES_IN_TOP_K_SHAPES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns INVALID_ARGUMENT, with TensorFlow's text, unless the predictions
// (input 0) are a matrix with a row for each target (input 1).
absl::Status CheckInTopKShapes(const KernelContext& context);

// Returns k, input 2 of InTopKV2. Returns INVALID_ARGUMENT if it is no scalar.
absl::StatusOr<int64_t> InTopKInput(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_IN_TOP_K_SHAPES_H_
