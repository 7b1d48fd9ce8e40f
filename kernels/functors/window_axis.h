// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// WindowAxis says which pixels lie in which windows along one axis of an image.
// In the forward direction, pooling visits the pixels of each window. In the
// backward direction, it visits the windows of each pixel.
#ifndef LEAT_KERNELS_FUNCTORS_WINDOW_AXIS_H_
#define LEAT_KERNELS_FUNCTORS_WINDOW_AXIS_H_

#include <cstdint>

#include "leat/kernels/functors/device_code.h"

namespace leat::kernels::functors {

// The numbers [begin, end). A plain value.
struct Range {
  int64_t begin;
  int64_t end;

  LEAT_DEVICE int64_t size() const { return end > begin ? end - begin : 0; }
};

// The windows along one axis. All members but `positions` are below 2^31. A
// plain value.
struct WindowAxis {
  int64_t extent = 0;     // pixels of the image
  int64_t positions = 0;  // number of windows
  int64_t size = 1;       // pixels of a window
  int64_t stride = 1;     // from one window to the next
  int64_t before = 0;     // pixels of padding before the image

  // Returns the pixels of a window that lie inside of the image.
  LEAT_DEVICE Range PixelsOf(int64_t window) const {
    const int64_t begin = window * stride - before;
    const int64_t end = begin + size;
    return {begin > 0 ? begin : 0, end < extent ? end : extent};
  }

  // Returns the windows in which a pixel lies.
  LEAT_DEVICE Range WindowsOf(int64_t pixel) const {
    // All numbers below are less than 2^32. A GPU divides 32-bit numbers
    // several times as fast as 64-bit numbers.
    const auto last = static_cast<uint32_t>(pixel + before);
    const auto pixels = static_cast<uint32_t>(size);
    const auto step = static_cast<uint32_t>(stride);
    const int64_t begin =
        last < pixels ? 0 : int64_t{(last - pixels) / step} + 1;
    const int64_t end = int64_t{last / step} + 1;
    return {begin, end < positions ? end : positions};
  }
};

}  // namespace leat::kernels::functors

#endif  // LEAT_KERNELS_FUNCTORS_WINDOW_AXIS_H_
