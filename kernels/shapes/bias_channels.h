// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions find the channels for BiasAdd and BiasAddGrad. The kernels
// for all devices share them. All errors are INVALID_ARGUMENT, with
// TensorFlow's texts.
#ifndef LEAT_KERNELS_SHAPES_BIAS_CHANNELS_H_
#define LEAT_KERNELS_SHAPES_BIAS_CHANNELS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "leat/core/shape.h"
#include "leat/kernels/kernel_context.h"

namespace leat::kernels {

// Describes a tensor as [outer, channels, inner]. `inner` is 1 for NHWC.
struct Channels {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;
};

// Returns true if the attr data_format is NCHW, and false if it is NHWC.
// Returns an error for all other values.
absl::StatusOr<bool> IsNchw(const NodeDef& node);

// Returns the channels of a tensor. Returns an error if the tensor has fewer
// than two dimensions.
absl::StatusOr<Channels> FindChannels(const Shape& shape, bool nchw);

// Returns the channels of the value (input 0) of BiasAdd. Returns an error
// unless the bias (input 1) is a vector with one element per channel.
absl::StatusOr<Channels> BiasChannels(const KernelContext& context, bool nchw);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_BIAS_CHANNELS_H_
