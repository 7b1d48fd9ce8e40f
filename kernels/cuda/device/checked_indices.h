// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CheckedIndices is a tensor of indices in the memory of a GPU. Code for the
// GPU reads them with FindIndex (find_index.h), which checks them. The first
// index of a step that is out of range is written to the IndexFault of the
// step, so that the step can fail with the node and the index
// (kernels/indices/index_faults.h). Both are plain values.
#ifndef LEAT_KERNELS_CUDA_DEVICE_CHECKED_INDICES_H_
#define LEAT_KERNELS_CUDA_DEVICE_CHECKED_INDICES_H_

#include <cstdint>

#include "leat/kernels/functors/index_rule.h"

namespace leat::cuda {

struct IndexFault;

// Index i consists of the numbers [i * depth, (i + 1) * depth). Number k must
// be in [0, limits[k]).
struct CheckedIndices {
  static constexpr int kMaxDims = 8;

  const void* data = nullptr;
  bool is_int64 = false;  // or int32
  int depth = 1;          // at most kMaxDims
  int64_t limits[kMaxDims] = {};

  // These members are what the error of an index says. `limits` may go on after
  // `depth`, and `dims` are the dimensions of the indices.
  kernels::IndexRule rule = kernels::IndexRule::kRow;
  int num_limits = 0;
  int num_dims = 0;
  int64_t dims[kMaxDims] = {};
  const void* node = nullptr;   // a NodeDef, for the host
  IndexFault* fault = nullptr;  // in pinned memory of the host
};

// The first wrong index of a step.
struct IndexFault {
  uint32_t is_set = 0;
  CheckedIndices indices = {};
  int64_t position = 0;  // the i of CheckedIndices
  int64_t values[CheckedIndices::kMaxDims] = {};
};

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_CHECKED_INDICES_H_
