// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Products of row-major matrices on a GPU, by the library of the GPU or by the
// kernel of kernels/cuda/device/matmul.h.
//
//   LEAT_RETURN_IF_ERROR(MultiplyOnGpu(stream, DType::kFloat, operands));
#ifndef LEAT_KERNELS_GPU_PRODUCT_H_
#define LEAT_KERNELS_GPU_PRODUCT_H_

#include "absl/status/status.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/devices/matrix_multiplication.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/kernels/cuda/device/matmul.h"
#include "leat/kernels/dense.h"

namespace leat::kernels {

// Returns the operands of one product.
leat::cuda::MatMulOperands OperandsOf(const MatMulShape& s, const Tensor& a,
                                      const Tensor& b, Tensor& c);

// Queues products. Computes each c, which must not be empty.
absl::Status MultiplyOnGpu(GpuStream& stream, DType dtype,
                           const leat::cuda::MatMulOperands& operands);

// Queues products with the library, which also applies the epilogue. `bias` has
// n elements, or is null if the epilogue has no bias. Returns UNIMPLEMENTED,
// and queues nothing, if the machine has no library or the library cannot do
// that.
absl::Status MultiplyWithLibrary(GpuStream& stream, DType dtype,
                                 const leat::cuda::MatMulOperands& operands,
                                 ProductEpilogue epilogue, const void* bias);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_GPU_PRODUCT_H_
