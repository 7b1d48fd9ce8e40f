// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions read the attrs and check the shapes of FusedBatchNorm and
// FusedBatchNormGrad in all their versions. The kernels for all devices share
// them. All errors are INVALID_ARGUMENT, with TensorFlow's texts.
#ifndef LEAT_KERNELS_SHAPES_BATCH_NORM_SHAPES_H_
#define LEAT_KERNELS_SHAPES_BATCH_NORM_SHAPES_H_

#include "absl/status/statusor.h"
#include "leat/graph/graph.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/shapes/bias_channels.h"

namespace leat::kernels {

// Holds the attrs of a node. Is a value type.
struct BatchNormAttrs {
  float epsilon = 1e-4f;
  float factor = 1;  // exponential_avg_factor
  bool training = true;
  bool channels_first = false;
  int rank = 4;

  static absl::StatusOr<BatchNormAttrs> Create(const NodeDef& node);

  // Returns true if the inputs `mean` and `variance` are used.
  bool UsesEstimates() const { return !training || factor != 1.0f; }
};

// These functions check the shapes of all inputs and return the channels of x.
// BatchNormChannels is for FusedBatchNorm, where x is input 0.
// BatchNormGradChannels is for FusedBatchNormGrad, where x is input 1.
absl::StatusOr<Channels> BatchNormChannels(const BatchNormAttrs& attrs,
                                           const KernelContext& context);
absl::StatusOr<Channels> BatchNormGradChannels(const BatchNormAttrs& attrs,
                                               const KernelContext& context);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_SHAPES_BATCH_NORM_SHAPES_H_
