// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions launch element-wise functions of one operand. They return
// false, and launch nothing, if they have no code for the type.
#ifndef LEAT_KERNELS_CUDA_DEVICE_UNARY_H_
#define LEAT_KERNELS_CUDA_DEVICE_UNARY_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Sets to[i] = function(from[i]) for i in [0, n). The arrays are in memory of
// the GPU, and may be the same if their elements have the same type. Is a plain
// value.
struct UnaryOperands {
  const void* from = nullptr;
  void* to = nullptr;
  int64_t n = 0;
};

enum class Unary : uint8_t {
  kNeg,
  kSquare,
  kAbs,
  kSign,
  kRound,
  kReciprocal,
  kSqrt,
  kRsqrt,
  kFloor,
  kCeil,
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
  kSelu,
  kLeakyRelu,
  kGeluExact,
  kGeluApproximate,
  kSoftplus,
  kSoftsign,
  kLogicalNot,
};

// Has code for half, bfloat16, float and double. kNeg, kSquare, kAbs, kSign and
// kRound also have code for int64. kLogicalNot has code for bool only. `alpha`
// is for kLeakyRelu.
bool LaunchUnary(CUstream_st* stream, Unary function, ElementType type,
                 const UnaryOperands& operands, float alpha = 0);

// Functions that take tens of instructions.
enum class MathFunction : uint8_t {
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kExpm1,
  kErf,
  kErfc,
};
// Has code for half, bfloat16, float and double.
bool LaunchMathFunction(CUstream_st* stream, MathFunction function,
                        ElementType type, const UnaryOperands& operands);

enum class Predicate : uint8_t { kIsNan, kIsInf, kIsFinite };
// The output is bool. Has code for half, bfloat16, float and double.
bool LaunchPredicate(CUstream_st* stream, Predicate function, ElementType type,
                     const UnaryOperands& operands);

// Holds the arrays, in memory of the GPU. `to` may be `from`. A bound has one
// element, which is for all elements of `from`, if its step is 0, and otherwise
// n elements. Is a plain value.
struct ClipOperands {
  const void* from = nullptr;
  const void* low = nullptr;
  const void* high = nullptr;
  void* to = nullptr;
  int64_t n = 0;
  bool low_step = false;
  bool high_step = false;
};

// Limits elements to a range. Has code for half, bfloat16, float, double, int8,
// int16, int64, uint8 and uint16.
bool LaunchClip(CUstream_st* stream, ElementType type,
                const ClipOperands& operands);

// Converts n elements. The arrays may be the same if the elements have the same
// size. With `truncate`, the low bits that a narrower float type cannot hold
// are set to zero instead of being rounded. Has no code for complex types.
bool LaunchCast(CUstream_st* stream, ElementType from_type, ElementType to_type,
                bool truncate, const void* from, void* to, int64_t n);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_UNARY_H_
