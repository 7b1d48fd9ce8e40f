// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckedIndices describes a tensor of indices in the memory of a GPU. Code for
// the GPU reads and checks an index with FindIndex (find_index.h). The first
// index of a step that is out of range is written to the IndexFault of the
// step. The error of the step then names the node and the index
// (kernels/indices/index_faults.h). Both structs are plain values.
#ifndef LEAT_KERNELS_CUDA_DEVICE_CHECKED_INDICES_H_
#define LEAT_KERNELS_CUDA_DEVICE_CHECKED_INDICES_H_

#include <cstdint>

#include "leat/kernels/functors/index_rule.h"

namespace leat::cuda {

struct IndexFault;

// Index i consists of `depth` numbers, which begin at data[i * depth]. Its
// number k must be in [0, limits[k]).
struct CheckedIndices {
  static constexpr int kMaxDims = 8;

  const void* data = nullptr;
  bool is_int64 = false;  // true: int64; false: int32
  int depth = 1;          // at most kMaxDims
  int64_t limits[kMaxDims] = {};

  // These members are for the error message. `limits` may have more than
  // `depth` entries. `dims` has the dimensions of the tensor of indices.
  kernels::IndexRule rule = kernels::IndexRule::kRow;
  int num_limits = 0;
  int num_dims = 0;
  int64_t dims[kMaxDims] = {};
  const void* node = nullptr;   // a NodeDef, for the host
  IndexFault* fault = nullptr;  // in pinned memory of the host
};

// Holds the first index of a step that is out of range, if `is_set` is not 0.
struct IndexFault {
  uint32_t is_set = 0;
  CheckedIndices indices = {};
  int64_t position = 0;  // the number i of the index
  int64_t values[CheckedIndices::kMaxDims] = {};
};

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_CHECKED_INDICES_H_
