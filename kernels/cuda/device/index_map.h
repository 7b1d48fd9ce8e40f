// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// IndexMap maps an index of one array, such as an output, to the offsets of the
// corresponding elements in other arrays, such as the inputs. It has strides
// for each of the other arrays. A stride of 0 stretches a dimension. Other
// strides permute dimensions or skip elements.
#ifndef LEAT_KERNELS_CUDA_DEVICE_INDEX_MAP_H_
#define LEAT_KERNELS_CUDA_DEVICE_INDEX_MAP_H_

#include <cstdint>
#include <initializer_list>

#include "leat/kernels/cuda/device/divider.h"
#include "leat/kernels/functors/device_code.h"

namespace leat::cuda {

inline constexpr int kMaxDimensions = 8;

// Maps an index to the offsets in the arrays 0 to N - 1. A plain value.
template <int N>
struct IndexMap {
  int rank;
  // Is true if all indices are below 2^31, so that `dividers` can divide them.
  bool is_small;
  int64_t extents[kMaxDimensions];  // in row-major order
  Divider dividers[kMaxDimensions];
  int64_t strides[N][kMaxDimensions];

  // Sets offsets[k] to the offset in array k. REQUIRES: `index` is below the
  // product of the extents.
  LEAT_DEVICE void Find(int64_t index, int64_t (&offsets)[N]) const {
    for (int k = 0; k < N; ++k) offsets[k] = 0;
    for (int d = rank - 1; d > 0; --d) {
      const int64_t rest =
          is_small ? dividers[d].Divide(static_cast<uint32_t>(index))
                   : index / extents[d];
      const int64_t position = index - rest * extents[d];
      for (int k = 0; k < N; ++k) offsets[k] += position * strides[k][d];
      index = rest;
    }
    for (int k = 0; k < N; ++k) offsets[k] += index * strides[k][0];
  }
};

// Describes a dimension of an IndexMap.
template <int N>
struct IndexAxis {
  int64_t extent;
  int64_t strides[N];
};

// Returns the map with these dimensions. REQUIRES: there are at most
// kMaxDimensions.
template <int N>
IndexMap<N> MakeIndexMap(std::initializer_list<IndexAxis<N>> axes) {
  IndexMap<N> map = {};
  int64_t size = 1;
  for (const IndexAxis<N>& axis : axes) size *= axis.extent;
  map.is_small = size < (int64_t{1} << 31);
  for (const IndexAxis<N>& axis : axes) {
    const int d = map.rank++;
    map.extents[d] = axis.extent;
    for (int k = 0; k < N; ++k) map.strides[k][d] = axis.strides[k];
    if (map.is_small) {
      map.dividers[d] = MakeDivider(static_cast<uint32_t>(axis.extent));
    }
  }
  return map;
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_INDEX_MAP_H_
