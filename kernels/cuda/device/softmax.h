// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions launch softmax and cross entropy of rows of classes. They
// compute 16-bit floats in float. They return false, and launch nothing, for
// types other than half, bfloat16, float and double.
#ifndef LEAT_KERNELS_CUDA_DEVICE_SOFTMAX_H_
#define LEAT_KERNELS_CUDA_DEVICE_SOFTMAX_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Computes the softmax, or its logarithm, of each row. The output may be the
// input.
bool LaunchSoftmax(CUstream_st* stream, ElementType type, bool log,
                   const void* logits, void* output, int64_t rows,
                   int64_t classes);

// Describes a matrix that may be broadcast. If one row stands for all rows,
// row_stride is 0. If one column stands for all columns, column_stride is 0.
struct BroadcastMatrix {
  const void* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 1;
};

// Computes the cross entropy of each row, and its gradient.
bool LaunchCrossEntropy(CUstream_st* stream, ElementType type,
                        const BroadcastMatrix& logits,
                        const BroadcastMatrix& labels, void* losses,
                        void* gradients, int64_t rows, int64_t classes);

// Does the same as LaunchCrossEntropy for labels that are class indices of type
// int32 or int64. If the label of a row is not in [0, classes), the loss and
// the gradients of the row are NaN. `gradients` may be `logits`.
bool LaunchSparseCrossEntropy(CUstream_st* stream, ElementType type,
                              ElementType label_type, const void* logits,
                              const void* labels, void* losses, void* gradients,
                              int64_t rows, int64_t classes);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_SOFTMAX_H_
