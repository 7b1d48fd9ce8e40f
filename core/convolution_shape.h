// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ConvolutionShape has the sizes of a 2-D or 3-D convolution and of its
// gradients.
#ifndef LEAT_CORE_CONVOLUTION_SHAPE_H_
#define LEAT_CORE_CONVOLUTION_SHAPE_H_

#include <compare>
#include <cstdint>

namespace leat {

// Describes a convolution as in TensorFlow's Conv2D. Activations are NHWC, or
// NCHW if `channels_first` is true. The filter is HWIO. All extents are
// positive and fit each other (core/window.h computes the output and the
// padding). The input has `groups` times as many channels as the filter has
// input channels.
//
// If `has_depth` is true, the convolution is a Conv3D: each image is a volume
// of planes, which are images of height and width. Activations are NDHWC or
// NCDHW, and the filter is DHWIO. Is a plain value.
struct ConvolutionShape {
  bool channels_first = false;
  int64_t batch = 0;
  int64_t in_channels = 0, in_height = 0, in_width = 0;
  int64_t out_channels = 0, out_height = 0, out_width = 0;
  // Each group of output channels reads its own group of input channels.
  int64_t groups = 1;
  int64_t filter_height = 0, filter_width = 0;
  int64_t stride_height = 1, stride_width = 1;
  // The distance between neighbouring taps of the filter; 1 if they are
  // adjacent.
  int64_t dilation_height = 1, dilation_width = 1;
  // The number of rows and columns of zeros that are added to the input.
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;

  bool has_depth = false;
  int64_t in_depth = 1, out_depth = 1, filter_depth = 1;
  int64_t stride_depth = 1, dilation_depth = 1;
  int64_t pad_front = 0, pad_back = 0;

  // Return the number of pixels of an image on the input side and on the output
  // side, and the number of taps of the filter.
  int64_t in_pixels() const { return in_depth * in_height * in_width; }
  int64_t out_pixels() const { return out_depth * out_height * out_width; }
  int64_t taps() const { return filter_depth * filter_height * filter_width; }

  friend auto operator<=>(const ConvolutionShape&,
                          const ConvolutionShape&) = default;
};

}  // namespace leat

#endif  // LEAT_CORE_CONVOLUTION_SHAPE_H_
