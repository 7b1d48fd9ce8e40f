// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The lists of element types that kernels for GPUs move, or compare.
#ifndef LEAT_CORE_GPU_DTYPE_LIST_H_
#define LEAT_CORE_GPU_DTYPE_LIST_H_

#include "leat/core/dtype_list.h"

namespace leat {

// Lists all numbers except int32 and complex ones. As in TensorFlow, int32
// tensors hold shapes and the like, and stay in host memory.
inline constexpr auto kRealNumbersOnGpu =
    kFloatsAndInt64 + DTypeList<int8_t, int16_t>() + kUnsignedInts;

// Lists all plain types except int32.
inline constexpr auto kMovableOnGpu =
    kRealNumbersOnGpu + kBoolOnly + kComplexes;

}  // namespace leat

#endif  // LEAT_CORE_GPU_DTYPE_LIST_H_
