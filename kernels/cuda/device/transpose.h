// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchTranspose copies matrices whose rows are adjacent in one array, and
// whose columns are adjacent in the other. A thread that copied one element
// would read or write far apart from its neighbours. So a block reads a square
// tile along its rows, and writes the tile along its columns.
#ifndef LEAT_KERNELS_CUDA_DEVICE_TRANSPOSE_H_
#define LEAT_KERNELS_CUDA_DEVICE_TRANSPOSE_H_

#include "leat/kernels/cuda/device/index_map.h"

struct CUstream_st;

namespace leat::cuda {

// Does the same as LaunchCopy (moves.h) if the map transposes a matrix, or each
// matrix of a batch, and the matrices are not small. Otherwise returns false
// and launches nothing.
bool LaunchTranspose(CUstream_st* stream, int element_bytes,
                     const IndexMap<2>& map, const void* from, void* to);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_TRANSPOSE_H_
