// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These are the lists of element types for GPU kernels. kRealNumbersOnGpu is
// for kernels that compare elements, and kMovableOnGpu is for kernels that only
// move them.
#ifndef LEAT_CORE_GPU_DTYPE_LIST_H_
#define LEAT_CORE_GPU_DTYPE_LIST_H_

#include "leat/core/dtype_list.h"

namespace leat {

// Lists all real numbers except int32. As in TensorFlow, int32 tensors stay in
// host memory, because most of them hold shapes and the like.
inline constexpr auto kRealNumbersOnGpu =
    kFloatsAndInt64 + DTypeList<int8_t, int16_t>() + kUnsignedInts;

// Lists all plain types except int32.
inline constexpr auto kMovableOnGpu =
    kRealNumbersOnGpu + kBoolOnly + kComplexes;

}  // namespace leat

#endif  // LEAT_CORE_GPU_DTYPE_LIST_H_
