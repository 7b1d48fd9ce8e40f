// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Images converts between the index of an element in an array of images and its
// place: image, row, column and channel. The host makes an Images, and code for
// the GPU uses it. Both structs are plain values.
#ifndef LEAT_KERNELS_CUDA_DEVICE_IMAGES_H_
#define LEAT_KERNELS_CUDA_DEVICE_IMAGES_H_

#include <cstdint>

#include "leat/kernels/cuda/device/divider.h"
#include "leat/kernels/functors/device_code.h"

namespace leat::cuda {

// Is the place of an element in an array of images.
struct Place {
  int64_t image;
  int64_t row;
  int64_t column;
  int64_t channel;
};

// Describes the layout of images in memory.
struct Images {
  bool channels_first;
  IndexDivider rows;
  IndexDivider columns;
  IndexDivider channels;

  LEAT_DEVICE Place PlaceOf(int64_t index) const {
    const int64_t pixel = channels_first ? index : channels.Divide(index);
    const int64_t line = columns.Divide(pixel);
    const int64_t plane = rows.Divide(line);
    const int64_t image = channels_first ? channels.Divide(plane) : plane;
    return {image, line - plane * rows.divisor, pixel - line * columns.divisor,
            channels_first ? plane - image * channels.divisor
                           : index - pixel * channels.divisor};
  }
  LEAT_DEVICE int64_t IndexOf(const Place& p) const {
    const int64_t pixel = p.row * columns.divisor + p.column;
    const int64_t size = rows.divisor * columns.divisor;
    return channels_first
               ? (p.image * channels.divisor + p.channel) * size + pixel
               : (p.image * size + pixel) * channels.divisor + p.channel;
  }
};

// Makes the Images of `count` images. If the images have no elements, PlaceOf
// must not be called.
inline Images MakeImages(bool channels_first, int64_t count, int64_t rows,
                         int64_t columns, int64_t channels) {
  const int64_t n = count * rows * columns * channels;
  const auto divider = [n](int64_t divisor) {
    return n == 0 ? IndexDivider{divisor, false, {}}
                  : MakeIndexDivider(divisor, n);
  };
  return {channels_first, divider(rows), divider(columns), divider(channels)};
}

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_IMAGES_H_
