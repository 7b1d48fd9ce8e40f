// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchReduce reduces one dimension of an array.
#ifndef LEAT_KERNELS_CUDA_DEVICE_REDUCE_H_
#define LEAT_KERNELS_CUDA_DEVICE_REDUCE_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

enum class Reduction : uint8_t {
  kSum,
  kProd,
  kMax,
  kMin,
  kSumOfSquares,
  // The last two are for bool only.
  kAll,
  kAny,
};

// A reduction of [outer, reduced, inner] to [outer, parts, inner]. Part p is
// the reduction of the elements from p * part_size on. A plain value.
struct ReduceOperands {
  const void* from = nullptr;
  void* to = nullptr;
  int64_t outer = 1;
  int64_t reduced = 1;
  int64_t inner = 1;
  int64_t parts = 1;
  int64_t part_size = 1;
  // If `divides` is true, each result is divided by `divisor`, which gives the
  // mean. For integers the quotient with 0 is 0.
  bool divides = false;
  int64_t divisor = 1;
};

// The order of operations depends on the sizes only, so the results are always
// the same. 16-bit floats are reduced in float. `to_type` is the type of the
// elements, or float if these are 16-bit floats; `from_type` likewise. Has code
// for half, bfloat16, float, double and int64; for kAll and kAny for bool only;
// for kSumOfSquares for floats, where `to_type` is float or double. Returns
// false, and launches nothing, for other types.
bool LaunchReduce(CUstream_st* stream, Reduction function,
                  ElementType from_type, ElementType to_type,
                  const ReduceOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_REDUCE_H_
