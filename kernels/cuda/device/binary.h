// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions launch element-wise functions of two operands. They return
// false, and launch nothing, if they have no code for the type.
#ifndef LEAT_KERNELS_CUDA_DEVICE_BINARY_H_
#define LEAT_KERNELS_CUDA_DEVICE_BINARY_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"
#include "leat/kernels/cuda/device/index_map.h"

struct CUstream_st;

namespace leat::cuda {

// Holds the operands, in memory of the GPU. `output` may be one of the inputs
// if that input has as many elements. Is a plain value.
struct BinaryOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* output = nullptr;
  int64_t n = 0;  // the number of elements of the output
  // A step is 0 if the operand has one element, which is used for every result,
  // and otherwise 1. The steps are ignored if there is a map.
  int64_t a_step = 1;
  int64_t b_step = 1;
  // Is not null if operands are broadcast. Array 0 of the map is `a`, and array
  // 1 is `b`. The map is used during the call only.
  const IndexMap<2>* map = nullptr;
};

enum class Arithmetic : uint8_t {
  kAdd,
  kSub,
  kMul,
  kMaximum,
  kMinimum,
  kSquaredDifference,
};
// Has code for half, bfloat16, float, double and all integers but int32. For
// kSquaredDifference, the only integers are int64.
bool LaunchArithmetic(CUstream_st* stream, Arithmetic function,
                      ElementType type, const BinaryOperands& operands);

enum class Division : uint8_t {
  kRealDiv,
  kDivNoNan,
  kFloorDiv,
  kFloorMod,
  kPow,
  kAtan2,
};
// Has code for half, bfloat16, float and double.
bool LaunchDivision(CUstream_st* stream, Division function, ElementType type,
                    const BinaryOperands& operands);

// The result is 0 where a factor is 0, even if the other one is infinite or
// NaN.
enum class ZeroProduct : uint8_t { kMulNoNan, kXdivy, kXlogy, kXlog1py };
// Has code for half, bfloat16, float and double.
bool LaunchZeroProduct(CUstream_st* stream, ZeroProduct function,
                       ElementType type, const BinaryOperands& operands);

enum class Comparison : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  // kAnd and kOr are for bool only.
  kAnd,
  kOr,
};
// The output is bool. Has code for half, bfloat16, float, double and all
// integers but int32. For bool, has code for kEqual, kNotEqual, kAnd and kOr
// only.
bool LaunchComparison(CUstream_st* stream, Comparison function,
                      ElementType type, const BinaryOperands& operands);

// For kRelu to kSoftsign, the first operand is the gradient of the activation's
// output. For kReciprocal and the functions after it, the first operand is the
// function's output, and the second operand is the gradient of this output.
enum class Gradient : uint8_t {
  kRelu,
  kRelu6,
  kElu,
  kSelu,
  kLeakyRelu,
  kSoftplus,
  kSoftsign,
  kReciprocal,
  kSqrt,
  kRsqrt,
  kSigmoid,
  kTanh,
};
// Has code for half, bfloat16, float and double. Only kLeakyRelu uses `alpha`.
bool LaunchGradient(CUstream_st* stream, Gradient function, ElementType type,
                    const BinaryOperands& operands, float alpha);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_BINARY_H_
