// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions move elements without looking at their values. An element has
// 1, 2, 4, 8 or 16 bytes. All arrays lie in memory of the GPU. The functions
// return false, and launch nothing, for other sizes.
#ifndef LEAT_KERNELS_CUDA_DEVICE_MOVES_H_
#define LEAT_KERNELS_CUDA_DEVICE_MOVES_H_

#include <cstdint>

#include "leat/kernels/cuda/device/index_map.h"

struct CUstream_st;

namespace leat::cuda {

// Copies n elements. Array 0 of the map is `from`, and array 1 is `to`.
bool LaunchCopy(CUstream_st* stream, int element_bytes, const IndexMap<2>& map,
                const void* from, void* to, int64_t n);

// Sets n elements to the element at `value`, which is in memory of the GPU.
bool LaunchFill(CUstream_st* stream, int element_bytes, const void* value,
                void* to, int64_t n);

// Holds an element of at most 16 bytes, in host memory.
struct ElementBytes {
  alignas(16) unsigned char bytes[16] = {};
};
// Sets n elements to `value`.
bool LaunchFillValue(CUstream_st* stream, int element_bytes,
                     const ElementBytes& value, void* to, int64_t n);

// Sets each of n elements of `to` to the element of `then` where the condition
// is true, and to the element of `otherwise` where it is false. The arrays 0, 1
// and 2 of the map are `conditions`, `then` and `otherwise`. `to` may be one of
// these arrays if it is not broadcast.
bool LaunchSelect(CUstream_st* stream, int element_bytes,
                  const IndexMap<3>& map, const bool* conditions,
                  const void* then, const void* otherwise, void* to, int64_t n);

// Copies the rows at the addresses in `rows` to `to`, one after another. `to`
// has n elements, and a row has `row_size` elements. If an address is 0, the
// row becomes zeros.
bool LaunchGatherRows(CUstream_st* stream, int element_bytes,
                      const uint64_t* rows, int64_t row_size, void* to,
                      int64_t n);

// Describes a one-hot array `to` of shape [outer, depth, inner]. Its element
// [i, d, j] is `*on` if the index at [i, j] is d, and otherwise `*off`. The
// indices are uint8, int32 or int64. `on` and `off` point to memory of the GPU.
struct OneHotOperands {
  const void* indices = nullptr;
  int index_bytes = 8;
  const void* on = nullptr;
  const void* off = nullptr;
  void* to = nullptr;
  int64_t outer = 0;
  int64_t depth = 0;
  int64_t inner = 0;
};
bool LaunchOneHot(CUstream_st* stream, int element_bytes,
                  const OneHotOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_MOVES_H_
