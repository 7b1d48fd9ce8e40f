// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions launch pooling and its gradients. They have code for half,
// bfloat16, float and double. They return false, and launch nothing, for other
// types. The sums of 16-bit floats are computed in float. The results are
// always the same, because each gradient is gathered in a fixed order.
#ifndef LEAT_KERNELS_CUDA_DEVICE_POOLING_H_
#define LEAT_KERNELS_CUDA_DEVICE_POOLING_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"
#include "leat/kernels/functors/window_axis.h"

struct CUstream_st;

namespace leat::cuda {

// One pooling of NHWC images. Images and windows may be empty. A plain value.
struct Pooling {
  int64_t images = 0;
  int64_t channels = 0;
  kernels::functors::WindowAxis rows = {};
  kernels::functors::WindowAxis columns = {};

  int64_t num_inputs() const {
    return images * rows.extent * columns.extent * channels;
  }
  int64_t num_outputs() const {
    return images * rows.positions * columns.positions * channels;
  }
};

// Sets each element of `to` to the maximum of its window of `from`, or to the
// lowest number if the window lies in the padding.
bool LaunchMaxPool(CUstream_st* stream, ElementType type,
                   const Pooling& pooling, const void* from, void* to);

// Adds the gradient of each window to the element of `to` that is at the place
// of the window's first maximum in `from`. All other elements become 0. With
// `relu`, only positive maxima get their gradient. `places` is scratch memory
// with one number per window. REQUIRES: an image has less than 2^31 pixels.
bool LaunchMaxPoolGrad(CUstream_st* stream, ElementType type,
                       const Pooling& pooling, bool relu, const void* from,
                       const void* gradients, int32_t* places, void* to);

// Sets each element of `to` to the average of those elements of its window that
// lie inside of the image.
bool LaunchAvgPool(CUstream_st* stream, ElementType type,
                   const Pooling& pooling, const void* from, void* to);

// Spreads each of `gradients` evenly over the elements of `to` that lie in its
// window.
bool LaunchAvgPoolGrad(CUstream_st* stream, ElementType type,
                       const Pooling& pooling, const void* gradients, void* to);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_POOLING_H_
