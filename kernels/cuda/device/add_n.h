// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchAddN adds up arrays.
#ifndef LEAT_KERNELS_CUDA_DEVICE_ADD_N_H_
#define LEAT_KERNELS_CUDA_DEVICE_ADD_N_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

inline constexpr int kMaxAddends = 8;

// Sets sum[i] to the sum of element i of each of `count` arrays. Rounds the sum
// once. `count` is at most kMaxAddends. `sum` may be one of the arrays. Has
// code for all real numbers except int32. Returns false, and launches nothing,
// for other types.
bool LaunchAddN(CUstream_st* stream, ElementType type,
                const void* const* addends, int count, void* sum, int64_t n);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_ADD_N_H_
