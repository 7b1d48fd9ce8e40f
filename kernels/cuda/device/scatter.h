// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions change rows of an array, which are selected by indices, or
// add up rows. All arrays are in memory of the GPU. If an index is out of
// range, its row of updates is ignored, and the step fails. If an index occurs
// several times, the order of its updates is not fixed, and may differ from
// element to element of the row. The functions return false, and launch
// nothing, for types without code.
#ifndef LEAT_KERNELS_CUDA_DEVICE_SCATTER_H_
#define LEAT_KERNELS_CUDA_DEVICE_SCATTER_H_

#include <cstdint>

#include "leat/kernels/cuda/device/checked_indices.h"
#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// There are `count` indices of rows of `to`. Each row of `to` and each row of
// `updates` has `inner` elements.
struct ScatterOperands {
  CheckedIndices indices = {};
  const void* updates = nullptr;
  // Is 0 if `updates` has one element, which is used for all rows, and
  // otherwise 1.
  int64_t updates_step = 1;
  void* to = nullptr;
  int64_t count = 0;
  int64_t inner = 1;
};

// Sets the rows. An element has 1, 2, 4, 8 or 16 bytes.
bool LaunchScatterUpdate(CUstream_st* stream, int element_bytes,
                         const ScatterOperands& operands);

enum class Accumulation : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMaximum,
  kMinimum,
};
// Combines the elements of the rows with those of the updates. Has code for
// half, bfloat16, float, double and int64, but does not divide int64.
bool LaunchScatter(CUstream_st* stream, Accumulation function, ElementType type,
                   const ScatterOperands& operands);

// The rows of segment s are starts[s], ..., starts[s + 1] - 1. Each row of
// `from` and of `to` has `inner` elements.
struct SegmentOperands {
  const void* from = nullptr;
  const int64_t* starts = nullptr;
  void* to = nullptr;
  int64_t num_segments = 0;
  int64_t inner = 1;
  bool is_mean = false;
};
// Sets each row of `to` to the sum or the mean of the rows of a segment, added
// up in their order. Has code for half, bfloat16, float, double and int64.
bool LaunchReduceSegments(CUstream_st* stream, ElementType type,
                          const SegmentOperands& operands);

// Checks `count` indices without changing an array. It is for rows that have no
// elements. If an index is out of range, the step fails.
void LaunchCheckIndices(CUstream_st* stream, const CheckedIndices& indices,
                        int64_t count);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_SCATTER_H_
