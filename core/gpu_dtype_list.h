// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// kMovableOnGpu is the list of element types that kernels for GPUs move.
#ifndef LEAT_CORE_GPU_DTYPE_LIST_H_
#define LEAT_CORE_GPU_DTYPE_LIST_H_

#include "leat/core/dtype_list.h"

namespace leat {

// Lists all plain types except int32. As in TensorFlow, int32 tensors hold
// shapes and the like, and stay in host memory.
inline constexpr auto kMovableOnGpu = kFloatsAndInt64 +
                                      DTypeList<int8_t, int16_t>() +
                                      kUnsignedInts + kBoolOnly + kComplexes;

}  // namespace leat

#endif  // LEAT_CORE_GPU_DTYPE_LIST_H_
