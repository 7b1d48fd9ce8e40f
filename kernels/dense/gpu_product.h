// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions multiply row-major matrices on a GPU. They use the library of
// the GPU or the kernel in kernels/cuda/device/matmul.h.
//
//   LEAT_RETURN_IF_ERROR(MultiplyOnGpu(stream, DType::kFloat, operands));
#ifndef LEAT_KERNELS_DENSE_GPU_PRODUCT_H_
#define LEAT_KERNELS_DENSE_GPU_PRODUCT_H_

#include "absl/status/status.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/devices/matrix_multiplication.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/kernels/cuda/device/matmul.h"
#include "leat/kernels/dense/dense.h"

namespace leat::kernels {

// Returns the operands of the product c = op(a) * op(b) for launch functions.
leat::cuda::MatMulOperands OperandsOf(const MatMulShape& s, const Tensor& a,
                                      const Tensor& b, Tensor& c);

// Queues the products, with the library if it supports them, and otherwise with
// Leat's own kernel. REQUIRES: `c` is not empty.
absl::Status MultiplyOnGpu(GpuStream& stream, DType dtype,
                           const leat::cuda::MatMulOperands& operands);

// Queues the products with the library, which also applies the epilogue. `bias`
// has n elements, or is null if the epilogue has no bias. Returns
// UNIMPLEMENTED, and queues nothing, if there is no library, if k is 0, or if
// the library does not support the products.
absl::Status MultiplyWithLibrary(GpuStream& stream, DType dtype,
                                 const leat::cuda::MatMulOperands& operands,
                                 ProductEpilogue epilogue, const void* bias);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DENSE_GPU_PRODUCT_H_
