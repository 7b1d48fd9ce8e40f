// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FindIndex reads and checks an index. Only *.cu files include this header.
#ifndef LEAT_KERNELS_CUDA_DEVICE_FIND_INDEX_H_
#define LEAT_KERNELS_CUDA_DEVICE_FIND_INDEX_H_

#include <cstdint>

#include "leat/kernels/cuda/device/checked_indices.h"
#include "leat/kernels/cuda/device/launch.h"

namespace leat::cuda {

LEAT_DEVICE inline int64_t NumberAt(const CheckedIndices& indices, int64_t k) {
  return indices.is_int64 ? static_cast<const int64_t*>(indices.data)[k]
                          : static_cast<const int32_t*>(indices.data)[k];
}

// Returns the position that index i names, in row-major order in a tensor with
// the dimensions limits[0], ..., limits[depth - 1]. Returns -1 if the index is
// out of range. In this case, if `reports` is true, also makes the step fail,
// unless the index is a negative segment id. If several threads read the same
// index, one of them should report it.
LEAT_DEVICE inline int64_t FindIndex(const CheckedIndices& indices, int64_t i,
                                     bool reports) {
  const int depth = indices.depth;
  int64_t place = 0;
  bool is_wrong = false;
  for (int k = 0; k < depth; ++k) {
    const int64_t number = NumberAt(indices, i * depth + k);
    is_wrong = is_wrong || number < 0 || number >= indices.limits[k];
    if (!is_wrong) place = place * indices.limits[k] + number;
  }
  if (!is_wrong) return place;
  // Negative segment ids are no error. Their rows are dropped.
  reports = reports && (indices.rule != kernels::IndexRule::kSegment ||
                        NumberAt(indices, i) >= 0);
  if (reports && AtomicExchange(&indices.fault->is_set, 1u) == 0) {
    indices.fault->indices = indices;
    indices.fault->position = i;
    for (int k = 0; k < depth; ++k) {
      indices.fault->values[k] = NumberAt(indices, i * depth + k);
    }
  }
  return -1;
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_FIND_INDEX_H_
