// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchGather copies rows of an array, which are selected by indices. All
// arrays are in memory of the GPU. An element has 1, 2, 4, 8 or 16 bytes. For
// other sizes, LaunchGather returns false and launches nothing. If an index is
// out of range, its row of the output becomes zeros, and the step fails.
#ifndef LEAT_KERNELS_CUDA_DEVICE_GATHER_H_
#define LEAT_KERNELS_CUDA_DEVICE_GATHER_H_

#include <cstdint>

#include "leat/kernels/cuda/device/checked_indices.h"

struct CUstream_st;

namespace leat::cuda {

// `from` has the shape [batch, outer, limit, inner], the indices have the shape
// [batch, count], and `to` has the shape [batch, outer, count, inner]. `limit`
// is the number of positions that an index can name.
struct GatherOperands {
  const void* from = nullptr;
  CheckedIndices indices = {};
  void* to = nullptr;
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t limit = 1;
  int64_t inner = 1;
  int64_t count = 1;
};
bool LaunchGather(CUstream_st* stream, int element_bytes,
                  const GatherOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_GATHER_H_
