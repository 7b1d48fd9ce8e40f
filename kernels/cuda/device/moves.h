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

// Copies n elements: the map has the places in `from` (0) and in `to` (1).
bool LaunchCopy(CUstream_st* stream, int element_bytes, const IndexMap<2>& map,
                const void* from, void* to, int64_t n);

// Sets n elements to the one at `value`.
bool LaunchFill(CUstream_st* stream, int element_bytes, const void* value,
                void* to, int64_t n);

// An element of at most 16 bytes, in memory of the host.
struct ElementBytes {
  alignas(16) unsigned char bytes[16] = {};
};
// Sets n elements to `value`.
bool LaunchFillValue(CUstream_st* stream, int element_bytes,
                     const ElementBytes& value, void* to, int64_t n);

// Sets each of n elements of `to` to one of `then` or of `otherwise`. The map
// has the places in `conditions` (0), `then` (1) and `otherwise` (2). `to` may
// be an operand that is not broadcast.
bool LaunchSelect(CUstream_st* stream, int element_bytes,
                  const IndexMap<3>& map, const bool* conditions,
                  const void* then, const void* otherwise, void* to, int64_t n);

// Sets n elements of `to` to the rows at the addresses in `rows`, one after
// another. A row has `row_size` elements, which are zero if the address is 0.
bool LaunchGatherRows(CUstream_st* stream, int element_bytes,
                      const uint64_t* rows, int64_t row_size, void* to,
                      int64_t n);

// An array [outer, depth, inner], whose element [i, d, j] is `on` if d is the
// index at [i, j], and otherwise `off`. An index has 1 byte without a sign, or
// 4 or 8 bytes. `on` and `off` point to memory of the GPU.
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
