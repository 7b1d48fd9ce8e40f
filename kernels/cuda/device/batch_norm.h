// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions launch batch normalization and its gradient. x, y and their
// gradients are half, bfloat16 or float; all else is float. Sums are always
// computed in the same order, so the results are always the same.
#ifndef LEAT_KERNELS_CUDA_DEVICE_BATCH_NORM_H_
#define LEAT_KERNELS_CUDA_DEVICE_BATCH_NORM_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Images or volumes as [outer, channels, inner], of which none is 0. Each
// channel is summed up in `parts` parts. A plain value.
struct BatchNormSizes {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;
  int64_t parts = 1;
};

// Returns the sizes with a number of parts that fits the GPU.
BatchNormSizes MakeBatchNormSizes(int64_t outer, int64_t channels,
                                  int64_t inner);

// Arrays of the length `channels`, but for x and y. A plain value.
struct BatchNormOperands {
  BatchNormSizes sizes = {};
  float epsilon = 0;
  float factor = 1;  // exponential_avg_factor
  bool training = true;
  const void* x = nullptr;
  const float* scale = nullptr;
  const float* offset = nullptr;
  // The estimates so far. Read unless `training` and factor == 1.
  const float* old_mean = nullptr;
  const float* old_variance = nullptr;
  void* y = nullptr;
  // The estimates, and what the gradient needs.
  float* mean = nullptr;
  float* variance = nullptr;
  float* saved_mean = nullptr;
  float* saved_variance = nullptr;
  // Scratch memory for 2 * parts * channels and 2 * channels numbers.
  double* sums = nullptr;
  float* coefficients = nullptr;
};

// Computes FusedBatchNormV3. Returns false, and launches nothing, for other
// types.
bool LaunchBatchNorm(CUstream_st* stream, ElementType type,
                     const BatchNormOperands& operands);

// Arrays of the length `channels`, but for dy, x and dx. A plain value.
struct BatchNormGradOperands {
  BatchNormSizes sizes = {};
  float epsilon = 0;
  bool training = true;
  const void* dy = nullptr;
  const void* x = nullptr;
  const float* scale = nullptr;
  const float* mean = nullptr;
  const float* variance = nullptr;
  void* dx = nullptr;
  float* dscale = nullptr;
  float* doffset = nullptr;
  // Scratch memory for 2 * parts * channels and 3 * channels numbers.
  double* sums = nullptr;
  float* coefficients = nullptr;
};

// Computes FusedBatchNormGradV3. Returns false, and launches nothing, for other
// types.
bool LaunchBatchNormGrad(CUstream_st* stream, ElementType type,
                         const BatchNormGradOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_BATCH_NORM_H_
