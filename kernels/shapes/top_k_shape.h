// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GetTopKShape checks the inputs of TopKV2. The kernels for all devices share
// it. It is stateless.
#ifndef LEAT_KERNELS_SHAPES_TOP_K_SHAPE_H_
#define LEAT_KERNELS_SHAPES_TOP_K_SHAPE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Describes the input as a matrix, and holds the shape of both outputs.
struct TopKShape {
  int64_t rows = 0;  // 0 if there are no columns
  int64_t columns = 0;
  int64_t k = 0;
  Shape output = {};
};

// Returns INVALID_ARGUMENT, with TensorFlow's text, if the input is a scalar,
// if k is not a scalar in [0, columns], or if the type of the indices is too
// small for the number of columns.
absl::StatusOr<TopKShape> GetTopKShape(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_TOP_K_SHAPE_H_
