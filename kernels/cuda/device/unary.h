// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchUnary and LaunchCast launch element-wise functions of one operand.
#ifndef LEAT_KERNELS_CUDA_DEVICE_UNARY_H_
#define LEAT_KERNELS_CUDA_DEVICE_UNARY_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

enum class Unary : uint8_t {
  kNeg,
  kSquare,
  kAbs,
  kSign,
  kReciprocal,
  kSqrt,
  kRsqrt,
  kFloor,
  kExp,
  kLog,
  kLog1p,
  kSin,
  kCos,
  kSigmoid,
  kTanh,
  kRelu,
  kRelu6,
  kElu,
  kLeakyRelu,
  kGeluExact,
  kGeluApproximate,
  kSoftplus,
  kLogicalNot,
};

// Sets to[i] = function(from[i]) for i in [0, n). The arrays are in memory of
// the GPU and may be the same. Has code for half, bfloat16, float and double.
// kNeg, kSquare, kAbs and kSign also have code for int64. kLogicalNot has code
// for bool only. Returns false, and launches nothing, for other types. `alpha`
// is for kLeakyRelu.
bool LaunchUnary(CUstream_st* stream, Unary function, ElementType type,
                 const void* from, void* to, int64_t n, float alpha = 0);

// Converts n elements. The arrays may be the same if the elements have the same
// size. With `truncate`, the low bits that a narrower float type cannot hold
// are set to zero instead of being rounded. Returns false, and launches
// nothing, if a type is complex.
bool LaunchCast(CUstream_st* stream, ElementType from_type, ElementType to_type,
                bool truncate, const void* from, void* to, int64_t n);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_UNARY_H_
