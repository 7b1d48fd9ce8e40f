// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions find the elements of an array that are not zero, in order.
// How many there are is known when the first function has run. All arrays lie
// in memory of the GPU. The functions return false, and launch nothing, for
// types that have no code.
#ifndef LEAT_KERNELS_CUDA_DEVICE_WHERE_H_
#define LEAT_KERNELS_CUDA_DEVICE_WHERE_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// The array is counted in pieces of this many elements.
inline constexpr int64_t kCountedPiece = 32;

// Sets offsets[p] to the number of elements of `from` before piece p that are
// not zero, for each piece. Sets the entry behind the last piece to their
// number in the whole array. REQUIRES: n > 0.
bool LaunchCountNonZero(CUstream_st* stream, ElementType type, const void* from,
                        int64_t n, int64_t* offsets);

// The extents of an array of at most 8 dimensions.
struct Extents {
  int rank = 0;
  int64_t extents[8] = {};
};

// Writes the coordinates of the elements that are not zero, `extents.rank` for
// each, to `to`. `offsets` is what LaunchCountNonZero has computed.
bool LaunchFindNonZero(CUstream_st* stream, ElementType type, const void* from,
                       int64_t n, const int64_t* offsets,
                       const Extents& extents, int64_t* to);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_WHERE_H_
