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

// Describes images or volumes as an array [outer, channels, inner]. No extent
// is 0. The elements of each channel are summed up in `parts` parts. Is a plain
// value.
struct BatchNormSizes {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;
  int64_t parts = 1;
};

// Returns the sizes with a number of parts that suits a GPU. The number depends
// on the sizes only.
BatchNormSizes MakeBatchNormSizes(int64_t outer, int64_t channels,
                                  int64_t inner);

// Holds the operands of the forward pass. All arrays have `channels` elements,
// except for x, y and the scratch memory. Is a plain value.
struct BatchNormOperands {
  BatchNormSizes sizes = {};
  float epsilon = 0;
  float factor = 1;  // exponential_avg_factor
  bool training = true;
  const void* x = nullptr;
  const float* scale = nullptr;
  const float* offset = nullptr;
  // These are the old estimates. They are not read if `training` is true and
  // `factor` is 1.
  const float* old_mean = nullptr;
  const float* old_variance = nullptr;
  void* y = nullptr;
  // These are the new estimates, and the statistics that the gradient needs.
  float* mean = nullptr;
  float* variance = nullptr;
  float* saved_mean = nullptr;
  float* saved_variance = nullptr;
  // Scratch memory for 2 * parts * channels and 2 * channels numbers.
  double* sums = nullptr;
  float* coefficients = nullptr;
};

// Computes FusedBatchNormV3. Returns false, and launches nothing, for other
// types of x.
bool LaunchBatchNorm(CUstream_st* stream, ElementType type,
                     const BatchNormOperands& operands);

// Holds the operands of the gradient. All arrays have `channels` elements,
// except for dy, x, dx and the scratch memory. Is a plain value.
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
  // Scratch memory for 2 * parts * channels and 4 * channels numbers.
  double* sums = nullptr;
  float* coefficients = nullptr;
};

// Computes FusedBatchNormGradV3. Returns false, and launches nothing, for other
// types of x.
bool LaunchBatchNormGrad(CUstream_st* stream, ElementType type,
                         const BatchNormGradOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_BATCH_NORM_H_
