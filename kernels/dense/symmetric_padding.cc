// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/dense/symmetric_padding.h"

#include <algorithm>

#include "leat/core/status_macros.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/device_copy.h"

namespace leat::kernels {
namespace {

// Makes the padding before and behind an axis of `extent` pixels equal. Returns
// the number of pixels that are added before the axis.
int64_t Balance(int64_t& extent, int64_t& before, int64_t& behind) {
  const int64_t both = std::min(before, behind);
  const int64_t added_before = before - both;
  extent += before + behind - 2 * both;
  before = behind = both;
  return added_before;
}

// Plans a loop over all pixels of the images of `shape` in the larger images of
// `padded`.
BroadcastPlan<1> PlanPixels(const ConvolutionShape& shape,
                            const ConvolutionShape& padded) {
  const int64_t c = padded.in_channels, h = padded.in_height,
                w = padded.in_width;
  return PlanStrided(InputShapeOf(shape), shape.channels_first
                                              ? Dims{c * h * w, h * w, w, 1}
                                              : Dims{h * w * c, w * c, c, 1});
}

}  // namespace

Shape InputShapeOf(const ConvolutionShape& s) {
  return s.channels_first
             ? Shape{s.batch, s.in_channels, s.in_height, s.in_width}
             : Shape{s.batch, s.in_height, s.in_width, s.in_channels};
}

SymmetricPadding::SymmetricPadding(const ConvolutionShape& shape)
    : shape_(shape), padded_(shape) {
  rows_before_ =
      Balance(padded_.in_height, padded_.pad_top, padded_.pad_bottom);
  columns_before_ =
      Balance(padded_.in_width, padded_.pad_left, padded_.pad_right);
}

size_t SymmetricPadding::OffsetOf(const Tensor& padded) const {
  const int64_t pixel = rows_before_ * padded_.in_width + columns_before_;
  const int64_t step = shape_.channels_first ? 1 : shape_.in_channels;
  return static_cast<size_t>(pixel * step) * SizeOf(padded.dtype());
}

absl::Status SymmetricPadding::Pad(GpuStream& stream, const Tensor& input,
                                   Tensor& padded) const {
  LEAT_RETURN_IF_ERROR(stream.Fill(padded.mutable_raw_data(), 0,
                                   static_cast<size_t>(padded.num_bytes())));
  return CopyToStridedOnGpu(stream, PlanPixels(shape_, padded_),
                            SizeOf(input.dtype()), input.raw_data(),
                            padded.mutable_raw_data() + OffsetOf(padded));
}

absl::Status SymmetricPadding::Crop(GpuStream& stream, const Tensor& padded,
                                    Tensor& input) const {
  return CopyFromStridedOnGpu(
      stream, PlanPixels(shape_, padded_), SizeOf(input.dtype()),
      padded.raw_data() + OffsetOf(padded), input.mutable_raw_data());
}

}  // namespace leat::kernels
