// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions multiply matrices of any type on the CPU, for the kernels of
// MatMul, BatchMatMul and Einsum. oneDNN multiplies floats, and Eigen
// multiplies all other types. Before the multiplication, half and bfloat16 are
// converted to float, and int16 to int32.
#ifndef LEAT_KERNELS_DENSE_MATRIX_PRODUCTS_H_
#define LEAT_KERNELS_DENSE_MATRIX_PRODUCTS_H_

#include "absl/status/status.h"
#include "leat/core/dtype_list.h"
#include "leat/core/tensor.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/dense/dense.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Lists the types of the elements.
inline constexpr auto kProductTypes =
    kFloatsAndComplexes + kIndices + DTypeList<int16_t>();

// Computes the product of the matrices in `a` and `b` and overwrites the matrix
// in `c` with it. Returns RESOURCE_EXHAUSTED if there is no memory for
// converted elements. REQUIRES: `c` has elements, the tensors have the same
// type of kProductTypes and the sizes in `shape`, and `c` shares no bytes with
// the others.
absl::Status MultiplyMatrices(KernelContext& context, const MatMulShape& shape,
                              const Tensor& a, const Tensor& b, Tensor& c);

// Computes the products of two batches of matrices. `batch` plans the broadcast
// of the batch dimensions of `a` and `b`. Otherwise is like MultiplyMatrices.
absl::Status MultiplyBatches(KernelContext& context, const MatMulShape& shape,
                             const BroadcastPlan<2>& batch, const Tensor& a,
                             const Tensor& b, Tensor& c);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DENSE_MATRIX_PRODUCTS_H_
