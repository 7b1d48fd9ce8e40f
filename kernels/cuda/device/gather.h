// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions copy the rows of an array that indices name. All arrays lie
// in memory of the GPU. An element has 1, 2, 4, 8 or 16 bytes; the functions
// return false, and launch nothing, for other sizes. For an index out of range
// the row becomes zeros, and the step fails.
#ifndef LEAT_KERNELS_CUDA_DEVICE_GATHER_H_
#define LEAT_KERNELS_CUDA_DEVICE_GATHER_H_

#include <cstdint>

#include "leat/kernels/cuda/device/checked_indices.h"

struct CUstream_st;

namespace leat::cuda {

// `from` is [batch, outer, limit, inner], there are [batch, count] indices, and
// `to` is [batch, outer, count, inner], where limit is the number of places in
// an index's limits.
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
