// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions check the shapes of MatMul and BatchMatMul. The kernels for
// all devices share them.
#ifndef LEAT_KERNELS_SHAPES_MATMUL_SHAPES_H_
#define LEAT_KERNELS_SHAPES_MATMUL_SHAPES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/dense/dense.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns the shape of the product of inputs 0 and 1. Returns INVALID_ARGUMENT,
// with TensorFlow's text, unless both are matrices whose extents fit.
absl::StatusOr<MatMulShape> MatrixProduct(const KernelContext& context,
                                          bool transpose_a, bool transpose_b);

// Describes the products of a batch. Is a value type.
struct BatchProduct {
  MatMulShape matrices = {};
  // These are the batch dimensions (all but the last two) of input 0, of input
  // 1, and of the output. The inputs are broadcast to the dimensions of the
  // output.
  Shape a_batch = {};
  Shape b_batch = {};
  Shape batch = {};
  Shape shape = {};  // of the output
};

// Describes the products of the matrices in the last two dimensions of inputs 0
// and 1. Returns INVALID_ARGUMENT, with TensorFlow's text, if the shapes do not
// fit.
absl::StatusOr<BatchProduct> BatchMatrixProduct(const KernelContext& context,
                                                bool adjoint_x, bool adjoint_y);

// Returns INVALID_ARGUMENT, with TensorFlow's text, unless inputs 0 and 1 have
// the same batch dimensions.
absl::Status CheckEqualBatches(const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_MATMUL_SHAPES_H_
