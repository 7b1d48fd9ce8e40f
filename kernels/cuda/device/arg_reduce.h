// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchArgReduce finds the largest or smallest element along a dimension.
#ifndef LEAT_KERNELS_CUDA_DEVICE_ARG_REDUCE_H_
#define LEAT_KERNELS_CUDA_DEVICE_ARG_REDUCE_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Turns an array [outer, n, inner] into the indices [outer, inner] of the
// largest or smallest elements. If several are equal, the first one counts. NaN
// is never chosen; if all elements are NaN, the index is 0. An index has
// `index_bytes` bytes: 2, 4 or 8. Has code for half, bfloat16, float, double
// and bool. Returns false, and launches nothing, for other types.
bool LaunchArgReduce(CUstream_st* stream, ElementType type, bool largest,
                     const void* from, int64_t outer, int64_t n, int64_t inner,
                     void* indices, int index_bytes);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_ARG_REDUCE_H_
