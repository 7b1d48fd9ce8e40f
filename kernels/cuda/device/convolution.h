// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LaunchConvolution computes convolutions and their gradients, slowly. It is
// for machines without cuDNN, and for what cuDNN does not compute.
#ifndef LEAT_KERNELS_CUDA_DEVICE_CONVOLUTION_H_
#define LEAT_KERNELS_CUDA_DEVICE_CONVOLUTION_H_

#include <cstdint>

#include "leat/kernels/cuda/device/element_type.h"

struct CUstream_st;

namespace leat::cuda {

// How the filter moves along one axis. A plain value.
struct ConvolutionAxis {
  int64_t in = 0;        // pixels of the input
  int64_t out = 0;       // pixels of the output
  int64_t taps = 1;      // pixels of the filter
  int64_t stride = 1;    // of the input, from one output to the next
  int64_t dilation = 1;  // of the input, from one tap to the next
  int64_t before = 0;    // zeros before the input
};

enum class ConvolutionResult : uint8_t { kOutput, kInput, kFilter };

// A convolution of images with a filter of shape HWIO, of which one is the
// result. None of them is empty. A plain value.
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

// Sets the elements of `to` to the output, or to the gradient of the input or
// the filter, whose pointer is not used. Has code for half, bfloat16, float and
// double. Products of 16-bit floats are added up in float, always in the same
// order. Returns false, and launches nothing, for other types.
bool LaunchConvolution(CUstream_st* stream, ElementType type,
                       ConvolutionResult result,
                       const ConvolutionOperands& operands, void* to);

}  // namespace leat::cuda

#endif  // LEAT_KERNELS_CUDA_DEVICE_CONVOLUTION_H_
