// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The shapes of MatMul and BatchMatMulV2, which their kernels for all devices
// share.
#ifndef LEAT_KERNELS_SHAPES_MATMUL_SHAPES_H_
#define LEAT_KERNELS_SHAPES_MATMUL_SHAPES_H_

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/dense.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Returns the shape of the product of inputs 0 and 1. Returns INVALID_ARGUMENT,
// with TensorFlow's text, unless they are matrices that fit.
absl::StatusOr<MatMulShape> MatrixProduct(const KernelContext& context,
                                          bool transpose_a, bool transpose_b);

// The products of a batch. A value type.
struct BatchProduct {
  MatMulShape matrices = {};
  // The dimensions of inputs 0 and 1 before the last two, and those of the
  // output, to which they are broadcast.
  Shape a_batch = {};
  Shape b_batch = {};
  Shape batch = {};
  Shape shape = {};  // of the output
};

// Returns the products of the matrices in the last two dimensions of inputs 0
// and 1. Returns INVALID_ARGUMENT, with TensorFlow's text, if they do not fit.
absl::StatusOr<BatchProduct> BatchMatrixProduct(const KernelContext& context,
                                                bool adjoint_x, bool adjoint_y);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_MATMUL_SHAPES_H_
