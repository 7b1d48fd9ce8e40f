// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/dense/gpu_product.h"

#include "leat/core/devices/gpu_libraries.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/gpu_kernel.h"

namespace leat::kernels {
namespace {

using leat::cuda::ElementType;
using leat::cuda::MatMulOperands;

// Describes the products to a library that expects column-major matrices. The
// bytes of a row-major matrix are those of its transpose in column-major order.
// So the library computes the transposed product, c^T = op(b)^T * op(a)^T, and
// transposes `a` and `b` if op does.
ProductForm FormOf(DType dtype, const MatMulOperands& o,
                   ProductEpilogue epilogue) {
  return {.type = dtype,
          .m = o.n,
          .n = o.m,
          .k = o.k,
          .a = {.leading = o.transpose_b ? o.k : o.n,
                .stride = o.b_stride,
                .is_transposed = o.transpose_b},
          .b = {.leading = o.transpose_a ? o.m : o.k,
                .stride = o.a_stride,
                .is_transposed = o.transpose_a},
          .d = {.leading = o.n, .stride = o.c_stride},
          .num_products = o.batch,
          .epilogue = epilogue};
}

}  // namespace

MatMulOperands OperandsOf(const MatMulShape& s, const Tensor& a,
                          const Tensor& b, Tensor& c) {
  return {.a = a.raw_data(),
          .b = b.raw_data(),
          .c = c.mutable_raw_data(),
          .m = s.m,
          .n = s.n,
          .k = s.k,
          .transpose_a = s.transpose_a,
          .transpose_b = s.transpose_b};
}

absl::Status MultiplyWithLibrary(GpuStream& stream, DType dtype,
                                 const MatMulOperands& operands,
                                 ProductEpilogue epilogue, const void* bias) {
  MatrixMultiplication* const library =
      stream.libraries().matrix_multiplication();
  // Libraries need not support matrices without elements.
  if (library == nullptr || operands.k == 0) {
    return absl::UnimplementedError("no library multiplies these matrices");
  }
  const absl::Status status = library->Multiply(
      FormOf(dtype, operands, epilogue),
      {.a = operands.b, .b = operands.a, .d = operands.c, .bias = bias});
  // If the GPU is lost, the error of CheckLaunch tells more than the library's.
  LEAT_RETURN_IF_ERROR(stream.CheckLaunch());
  return status;
}

absl::Status MultiplyOnGpu(GpuStream& stream, DType dtype,
                           const MatMulOperands& operands) {
  absl::Status status = MultiplyWithLibrary(stream, dtype, operands,
                                            ProductEpilogue::kNone, nullptr);
  if (!absl::IsUnimplemented(status)) return status;
  return OnStream(stream, [&](CUstream_st* handle) {
    return leat::cuda::LaunchMatMul(handle, static_cast<ElementType>(dtype),
                                    operands);
  });
}

}  // namespace leat::kernels
