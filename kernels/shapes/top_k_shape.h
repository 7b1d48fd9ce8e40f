// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GetTopKShape checks the inputs of TopKV2, for the kernels of all devices.
// Stateless.
#ifndef LEAT_KERNELS_SHAPES_TOP_K_SHAPE_H_
#define LEAT_KERNELS_SHAPES_TOP_K_SHAPE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// The input as a matrix, and the shape of both outputs.
struct TopKShape {
  int64_t rows = 0;  // 0 if there are no columns
  int64_t columns = 0;
  int64_t k = 0;
  Shape output = {};
};

// Returns INVALID_ARGUMENT, with TensorFlow's text, if k is no scalar, or not
// in [0, columns], or if the type of the indices is too small for the columns.
absl::StatusOr<TopKShape> GetTopKShape(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_TOP_K_SHAPE_H_
