// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ElementType tells launch functions which elements an array has.
#ifndef LEAT_KERNELS_CUDA_DEVICE_ELEMENT_TYPE_H_
#define LEAT_KERNELS_CUDA_DEVICE_ELEMENT_TYPE_H_

#include <cstdint>

namespace leat::cuda {

// Each type has the same number as its DType (core/dtype.h). nvcc does not read
// that header.
enum class ElementType : uint8_t {
  kNone = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_ELEMENT_TYPE_H_
