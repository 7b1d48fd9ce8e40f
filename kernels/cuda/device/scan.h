// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchScan computes running sums and products.
#ifndef LEAT_KERNELS_CUDA_DEVICE_SCAN_H_
#define LEAT_KERNELS_CUDA_DEVICE_SCAN_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

enum class Scan : uint8_t { kSum, kProd };

// Describes arrays [outer, n, inner] in memory of the GPU. They are scanned
// along the dimension n. `to` may be `from`. Is a plain value.
struct ScanOperands {
  const void* from = nullptr;
  void* to = nullptr;
  int64_t outer = 1;
  int64_t n = 1;
  int64_t inner = 1;
  bool exclusive = false;  // true: result i leaves out element i
  bool reverse = false;    // true: scans from the end
};

// Queues the scan. The order of operations depends on the sizes only, so the
// results are always the same. Computes 16-bit floats in float. Has code for
// half, bfloat16, float, double and int64. Returns false, and launches nothing,
// for other types.
bool LaunchScan(CUstream_st* stream, Scan function, ElementType type,
                const ScanOperands& operands);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_SCAN_H_
