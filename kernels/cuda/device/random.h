// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions launch random distributions (kernels/functors/).
#ifndef LEAT_KERNELS_CUDA_DEVICE_RANDOM_H_
#define LEAT_KERNELS_CUDA_DEVICE_RANDOM_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"
#include "leat/kernels/functors/philox.h"

struct CUstream_st;

namespace leat::cuda {

enum class Distribution : uint8_t { kUniform, kNormal, kTruncatedNormal };

// Fills `to`, in memory of the GPU, with n numbers. `base` is the generator at
// the first number. Has code for half, bfloat16, float and double. Returns
// false, and launches nothing, for other types.
bool LaunchRandom(CUstream_st* stream, Distribution distribution,
                  ElementType type, const kernels::Philox& base, void* to,
                  int64_t n);

// Fills `to` with n integers in [low, low + range). Has code for int32 and
// int64. Returns false, and launches nothing, for other types.
bool LaunchRandomInt(CUstream_st* stream, ElementType type,
                     const kernels::Philox& base, int64_t low, uint64_t range,
                     void* to, int64_t n);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_RANDOM_H_
