// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SymmetricPadding changes a convolution whose padding is not the same on both
// sides of an image into one whose padding is: it adds the difference to the
// images as rows and columns of zeros. For some exact convolutions of floats
// with other padding, cuDNN has only plans of the last resort, which take up to
// a hundred times as long. TensorFlow does the same.
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

  // Copies the images, which are `input`, into the images with the added zeros,
  // which are `padded`. Queues the work in the stream.
  absl::Status Pad(GpuStream& stream, const Tensor& input,
                   Tensor& padded) const;
  // Copies the images back, without the added pixels.
  absl::Status Crop(GpuStream& stream, const Tensor& padded,
                    Tensor& input) const;

 private:
  // Returns the offset of the first pixel of `input` in `padded`, in bytes.
  size_t OffsetOf(const Tensor& padded) const;

  const ConvolutionShape shape_;
  ConvolutionShape padded_;
  int64_t rows_before_ = 0;     // above the images
  int64_t columns_before_ = 0;  // to the left of them
};

// Returns the shape of a convolution's input.
Shape InputShapeOf(const ConvolutionShape& shape);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_DENSE_SYMMETRIC_PADDING_H_
