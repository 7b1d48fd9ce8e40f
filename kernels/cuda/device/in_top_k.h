// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchInTopK checks whether targets are among the k largest predictions.
#ifndef LEAT_KERNELS_CUDA_DEVICE_IN_TOP_K_H_
#define LEAT_KERNELS_CUDA_DEVICE_IN_TOP_K_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Holds the operands, in memory of the GPU. `predictions` has the shape [rows,
// classes].
struct InTopKOperands {
  const float* predictions = nullptr;
  const void* targets = nullptr;  // int32 or int64
  bool* to = nullptr;
  int64_t rows = 0;
  int64_t classes = 0;
  int64_t k = 0;
};

// Sets to[row] to true if the target is a class, all predictions of the row are
// finite, and fewer than k predictions are larger than the target's. Returns
// false, and launches nothing, for targets of other types.
bool LaunchInTopK(CUstream_st* stream, ElementType target_type,
                  const InTopKOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_IN_TOP_K_H_
