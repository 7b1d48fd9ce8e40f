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
  // kAll and kAny are for bool only.
  kAll,
  kAny,
};

// Describes a reduction of [outer, reduced, inner] to [outer, parts, inner].
// Part p is the reduction of the `part_size` elements that begin at p *
// part_size. The last part may have fewer elements. Is a plain value.
struct ReduceOperands {
  const void* from = nullptr;
  void* to = nullptr;
  int64_t outer = 1;
  int64_t reduced = 1;
  int64_t inner = 1;
  int64_t parts = 1;
  int64_t part_size = 1;
  // With `divides`, each result is divided by `divisor`, which gives the mean.
  // An integer divided by 0 gives 0.
  bool divides = false;
  int64_t divisor = 1;
};

// Queues the reduction. The order of operations depends on the sizes only, so
// the results are always the same. Reduces 16-bit floats in float. `from_type`
// and `to_type` must be equal, except that one of them may be float if the
// other one is half or bfloat16. Has code for half, bfloat16, float, double and
// int64. Has code for kAll and kAny for bool only. Has code for kSumOfSquares
// for half, bfloat16, float and double, where `to_type` must be double for
// double, and float for all others. Returns false, and launches nothing, for
// other types.
bool LaunchReduce(CUstream_st* stream, Reduction function,
                  ElementType from_type, ElementType to_type,
                  const ReduceOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_REDUCE_H_
