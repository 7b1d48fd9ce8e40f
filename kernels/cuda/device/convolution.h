// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchConvolution computes convolutions and their gradients, slowly. It is
// for machines without cuDNN, and for convolutions that cuDNN does not support.
#ifndef LEAT_KERNELS_CUDA_DEVICE_CONVOLUTION_H_
#define LEAT_KERNELS_CUDA_DEVICE_CONVOLUTION_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// Describes how the filter moves along one axis. Is a plain value.
struct ConvolutionAxis {
  int64_t in = 0;        // pixels of the input
  int64_t out = 0;       // pixels of the output
  int64_t taps = 1;      // pixels of the filter
  int64_t stride = 1;    // input pixels from one output to the next
  int64_t dilation = 1;  // input pixels from one tap to the next
  int64_t before = 0;    // zeros before the input
};

enum class ConvolutionResult : uint8_t { kOutput, kInput, kFilter };

// Describes a convolution of images with a filter of shape HWIO. One of the
// three tensors is the result. No tensor is empty. Is a plain value.
struct ConvolutionOperands {
  bool channels_first = false;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  ConvolutionAxis rows = {};
  ConvolutionAxis columns = {};
  const void* input = nullptr;
  const void* filter = nullptr;
  const void* output = nullptr;
};

// Computes the output, or the gradient of the input or of the filter, into
// `to`. Does not use the pointer in `operands` to the tensor that is the
// result. Has code for half, bfloat16, float and double. Adds up products of
// 16-bit floats in float, always in the same order. Returns false, and launches
// nothing, for other types.
bool LaunchConvolution(CUstream_st* stream, ElementType type,
                       ConvolutionResult result,
                       const ConvolutionOperands& operands, void* to);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_CONVOLUTION_H_
