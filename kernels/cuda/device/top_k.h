// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions find the largest elements of each row of a matrix. All arrays
// are in memory of the GPU. The functions return false, and launch nothing, for
// types without code.
#ifndef LEAT_KERNELS_CUDA_DEVICE_TOP_K_H_
#define LEAT_KERNELS_CUDA_DEVICE_TOP_K_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Describes a matrix, and the memory in which its rows are sorted.
struct SortedRows {
  ElementType type = ElementType::kNone;
  const void* from = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;  // at most 2^30
  // The smallest power of two that is at least `columns`.
  int64_t width = 0;
  int32_t* order = nullptr;  // [rows, width]
};

// Sets the first `columns` entries of each row of `order` to the indices of the
// elements, the largest first. Equal elements are in the order of their
// indices, and NaN is below all numbers.
bool LaunchSortRows(CUstream_st* stream, const SortedRows& sorted);

// Copies the first k elements of each sorted row to `values`, and their indices
// to `indices`, whose type is `index_type`.
bool LaunchTakeFirst(CUstream_st* stream, const SortedRows& sorted, int64_t k,
                     ElementType index_type, void* values, void* indices);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_TOP_K_H_
