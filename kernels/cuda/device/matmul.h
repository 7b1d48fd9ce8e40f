// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchMatMul multiplies matrices.
#ifndef LEAT_KERNELS_CUDA_DEVICE_MATMUL_H_
#define LEAT_KERNELS_CUDA_DEVICE_MATMUL_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Describes products c[m,n] = op(a) * op(b) of row-major, contiguous matrices
// in memory of the GPU. By default op does nothing, and `a` has the shape [m,k]
// and `b` the shape [k,n]. With transpose_a, `a` has the shape [k,m], and op
// transposes it. With transpose_b, `b` has the shape [n,k], and op transposes
// it. Is a plain value.
struct MatMulOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  // `batch` is the number of products. A stride is the distance, in elements,
  // from a matrix to the matrix of the next product. A stride of 0 uses one
  // matrix for all products.
  int64_t batch = 1;
  int64_t a_stride = 0;
  int64_t b_stride = 0;
  int64_t c_stride = 0;
};

// Overwrites each `c`, which must overlap neither `a` nor `b`. If k is 0, the
// elements of `c` become 0. Has code for half, bfloat16, float and double. Adds
// up products of 16-bit floats in float. Returns false, and launches nothing,
// for other types.
bool LaunchMatMul(CUstream_st* stream, ElementType type,
                  const MatMulOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_MATMUL_H_
