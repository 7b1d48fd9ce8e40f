// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions find the elements of an array that are not zero, in order.
// The number of these elements is known when LaunchCountNonZero has run. All
// arrays are in memory of the GPU. The functions return false, and launch
// nothing, for types without code.
#ifndef LEAT_KERNELS_CUDA_DEVICE_WHERE_H_
#define LEAT_KERNELS_CUDA_DEVICE_WHERE_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// The elements of the array are counted in pieces of this size.
inline constexpr int64_t kCountedPiece = 32;

// Sets offsets[p] to the number of elements of `from` before piece p that are
// not zero, for each piece. Sets the entry after the last piece to the number
// of such elements in the whole array. REQUIRES: n > 0.
bool LaunchCountNonZero(CUstream_st* stream, ElementType type, const void* from,
                        int64_t n, int64_t* offsets);

// The extents of an array of at most 8 dimensions.
struct Extents {
  int rank = 0;
  int64_t extents[8] = {};
};

// Writes the coordinates of the elements that are not zero to `to`,
// `extents.rank` numbers for each element. `offsets` comes from
// LaunchCountNonZero.
bool LaunchFindNonZero(CUstream_st* stream, ElementType type, const void* from,
                       int64_t n, const int64_t* offsets,
                       const Extents& extents, int64_t* to);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_WHERE_H_
