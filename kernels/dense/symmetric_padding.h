// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SymmetricPadding changes a convolution whose padding is not the same on both
// sides of an image into one whose padding is: it adds the difference to the
// images as rows and columns of zeros. For floats, cuDNN computes the gradient
// of such images more than ten times as fast.
#ifndef LEAT_KERNELS_DENSE_SYMMETRIC_PADDING_H_
#define LEAT_KERNELS_DENSE_SYMMETRIC_PADDING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "leat/core/convolution_shape.h"
#include "leat/core/devices/gpu_stream.h"
#include "leat/core/tensor.h"

namespace leat::kernels {

// Is immutable, so thread-safe.
class SymmetricPadding {
 public:
  // `shape` has images, not volumes.
  explicit SymmetricPadding(const ConvolutionShape& shape);

  // Returns true if the padding of `shape` is not symmetric.
  bool is_needed() const { return padded_ != shape_; }

  // Returns the convolution of the images with the added zeros.
  const ConvolutionShape& padded() const { return padded_; }

  // Copies `padded`, the images with the added pixels, to `images` without
  // them. Queues the work in the stream.
  absl::Status Crop(GpuStream& stream, const Tensor& padded,
                    Tensor& images) const;

 private:
  // Returns the offset of the first pixel that stays in `padded`, in bytes.
  size_t OffsetOf(const Tensor& padded) const;

  const ConvolutionShape shape_;
  ConvolutionShape padded_;
  int64_t rows_before_ = 0;     // above of the images
  int64_t columns_before_ = 0;  // to the left of them
};

// Returns the shape of a convolution's input.
Shape InputShapeOf(const ConvolutionShape& shape);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DENSE_SYMMETRIC_PADDING_H_
