// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Compare says how the values of two tensors differ. It is stateless and
// thread-safe.
//
//   const TensorDifference difference = Compare(before, after);
#ifndef LEAT_TOOLS_TENSORS_TENSOR_DIFFERENCE_H_
#define LEAT_TOOLS_TENSORS_TENSOR_DIFFERENCE_H_

#include <cstdint>
#include <optional>

#include "leat/core/tensor.h"

namespace leat {

struct TensorDifference {
  int64_t num_different = 0;
  // Is the greatest distance between two numbers. For complex numbers, the
  // distance is the absolute value of their difference. Is not set if no two
  // numbers were compared. This happens if the elements are not numbers, or if
  // each pair that differs contains a NaN.
  std::optional<double> greatest = {};
};

// Compares element by element. NaN equals NaN, and 0 equals -0. REQUIRES: both
// tensors have the same dtype and shape and are in host memory, and neither has
// resources or variants.
TensorDifference Compare(const Tensor& a, const Tensor& b);

}  // namespace leat

#endif  // LEAT_TOOLS_TENSORS_TENSOR_DIFFERENCE_H_
